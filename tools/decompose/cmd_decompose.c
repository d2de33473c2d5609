// SPDX-License-Identifier: BSD-3-Clause
/* `heddle decompose`: a tensor as few factors.
 *
 * Layer: L5. Reads everything first, so that bad input is reported before the long part; writes at the very end, so
 * that an interrupted run leaves nothing, or with --keep-partial whole files.
 */
#include "job.h"
#include "tools/emit.h"
#include "tools/picture/plot.h"
#include <stdlib.h>
#include <string.h>

enum { OUT_FACTORS, OUT_PICTURE, OUT_COUNT };

static void emit_shape(emit *e, const char *key, hed_shape s)
{
  emit_array(e, key);
  for (int i = 0; i < s.ndim; i++)
    emit_int(e, NULL, s.dim[i]);
  emit_array_end(e);
}

/* Ranks that came out. */
static hed_shape ranks_of(const decompose_job *j)
{
  hed_shape s = { .ndim = 1 };
  int64_t ranks[HED_MAX_NDIM + 1];
  if (j->kind == KIND_CP)
    s.dim[0] = j->cp.rank;
  else if (j->kind == KIND_PARAFAC2)
    s.dim[0] = j->parafac2.rank;
  else if (j->kind == KIND_TUCKER)
    s = hed_array_shape(j->tucker.core);
  else
    s.ndim = 0;
  if (j->kind == KIND_TT && hed_tt_ranks(&j->tt, ranks) == HED_OK)
    for (s.ndim = 0; s.ndim + 1 < j->tt.order; s.ndim++)
      s.dim[s.ndim] = ranks[s.ndim + 1];
  return s;
}

static void report_text(const decompose_job *j, const outputs *o)
{
  const hed_shape s = ranks_of(j);
  if (j->scan_high) {
    printf("rank  error      explained  core consistency\n");
    for (int i = 0; i < j->scanned; i++)
      printf("%4lld  %-9.4g  %7.4g %%  %14.4g %%\n", j->scan_low + i, j->scan_error[i], decompose_explained(j->scan_error[i]),
             j->scan_consistency[i]);
    bool little;
    const long long advice = decompose_advice(j, &little);
    if (advice && little)
      printf("stop at rank %lld: others explain no more of what is left than of noise, %.2g %% each\n", advice, 100 * j->noise);
    else if (advice)
      printf("stop at rank %lld: beyond it the core consistency is below 60 %%\n", advice);
    else
      printf("no rank has a core consistency of 60 %%\n");
  } else {
    printf("%s", decompose_names[j->kind]);
    for (int i = 0; i < s.ndim; i++)
      printf("%s%lld", i ? "," : " ", (long long)s.dim[i]);
    printf(": %s %.6g", j->loss <= HED_GCP_GAUSSIAN ? "relative error" : j->x ? "mean loss" : "divergence", j->fit.error);
    if (j->fit.n_sweeps)
      printf(" after %lld sweeps (%s), %.2f s", (long long)j->fit.n_sweeps, hed_stop_name(j->fit.stopped), j->fit.seconds);
    printf("\n");
  }
  decompose_print_checks(j);
  decompose_print_axes(j);
  if (j->fit.note[0])
    printf("note: %s\n", j->fit.note);
  for (int i = 0; i < o->n; i++)
    printf("%s\n", o->final[i]);
}

static int report_json(const decompose_job *j, const outputs *o)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.decompose/1");
  emit_string(&e, "input", j->path);
  emit_string(&e, "kind", decompose_names[j->kind]);
  if (j->x)
    emit_shape(&e, "shape", hed_array_shape(j->x));
  else if (j->coo.indices)
    emit_shape(&e, "shape", j->coo.shape);
  emit_shape(&e, "ranks", ranks_of(j));
  emit_number(&e, "error", j->fit.error);
  emit_string(&e, "stopped", hed_stop_name(j->fit.stopped));
  emit_number(&e, "seconds", j->fit.seconds);
  emit_int(&e, "seed", (int64_t)j->seed);
  emit_array(&e, "errors");
  for (int64_t i = 0; i < j->fit.n_sweeps; i++)
    emit_number(&e, NULL, j->fit.errors[i]);
  emit_array_end(&e);
  if (j->scan_high) {
    emit_array(&e, "scan");
    for (int i = 0; i < j->scanned; i++) {
      emit_object(&e, NULL);
      emit_int(&e, "rank", j->scan_low + i);
      emit_number(&e, "error", j->scan_error[i]);
      emit_number(&e, "explained", decompose_explained(j->scan_error[i]));
      emit_number(&e, "core_consistency", j->scan_consistency[i]);
      emit_object_end(&e);
    }
    emit_array_end(&e);
    emit_int(&e, "advice", decompose_advice(j, NULL));
  }
  emit_string(&e, "loss", hed_gcp_loss_name(j->loss));
  emit_array(&e, "constraints"); /* of each mode that may have one */
  for (int k = 0; k < j->constrained; k++)
    emit_string(&e, NULL, hed_prox_name((int)j->constraint[k].kind));
  emit_array_end(&e);
  decompose_emit_checks(j, &e);
  decompose_emit_axes(j, &e);
  emit_string(&e, "note", j->fit.note[0] ? j->fit.note : NULL);
  emit_array(&e, "files");
  for (int i = 0; i < o->n; i++)
    emit_string(&e, NULL, o->final[i]);
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static bool has_nan(const hed_array *x)
{
  int64_t n = 0;
  hed_array *nan = x ? hed_isnan(x) : NULL, *count = nan ? hed_count_nonzero(nan, NULL) : NULL;
  const bool any = count && hed_item_int(count, &n) == HED_OK && n > 0;
  hed_release(count);
  hed_release(nan);
  return any;
}

static bool any_nan(const decompose_job *j)
{
  bool any = has_nan(j->x);
  for (size_t i = 0; j->slice && i < (size_t)j->n_slices && !any; i++)
    any = has_nan(j->slice[i]);
  return any;
}

/* What is written must not be what was read. */
static int keep_inputs(const decompose_job *j, const outputs *o)
{
  int code = 0;
  for (int k = 0; k < HED_MAX_NDIM && code == 0; k++)
    code = outputs_input(o, j->axis[k].path);
  return code ? code : (code = outputs_input(o, j->path)) ? code : outputs_input(o, j->mask_path);
}

/* FIRST files of O are no tables. */
static hed_status write_all(const decompose_job *j, outputs *o, int first)
{
  hed_status status = outputs_open(o);
  if (status == HED_OK && first > OUT_FACTORS)
    status = decompose_save(j, outputs_name(o, OUT_FACTORS));
  if (status == HED_OK && first > OUT_PICTURE)
    status = decompose_draw(j, outputs_name(o, OUT_PICTURE));
  return status == HED_OK ? decompose_write_tables(j, o, first) : status;
}

static int decompose(decompose_job *j, outputs *o)
{
  const int first = o->n;
  hed_status status = decompose_read(j);
  int code = status == HED_OK ? decompose_plan_tables(j, o) : 0;
  if (code == 0)
    code = keep_inputs(j, o);
  if (code)
    return code;
  if (status == HED_OK)
    status = decompose_run(j);
  if (status == HED_OK)
    status = write_all(j, o, first);
  const bool interrupted = __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED);
  if (status == HED_E_CANCELLED || (status == HED_OK && interrupted && !j->keep_partial))
    return tool_fail(STATUS_INTERRUPTED, "interrupted; nothing was written");
  char why[400];
  snprintf(why, sizeof why, "%s", hed_error_text());
  if (status == HED_E_INVAL && !j->missing_nan && j->kind != KIND_TT && j->kind != KIND_ROBUST)
    status = hed_fail(HED_E_INVAL, "%s%s", why, any_nan(j) ? "; with --missing-nan elements that are NaN count as unknown" : "");
  if (status != HED_OK)
    return tool_fail_status(status);
  code = outputs_commit(o);
  if (code == 0 && j->json)
    code = report_json(j, o);
  else if (code == 0)
    report_text(j, o);
  return code || !interrupted ? code : tool_fail(STATUS_INTERRUPTED, "interrupted; what was complete is the result");
}

static int run_command(int argc, char **argv)
{
  static const char *const suffixes[OUT_COUNT] = { ".npz", ".png" };
  decompose_job j = { .loss = -1, .split_axis = -1, .knife_axis = -1 };
  outputs o = { 0 };
  int code = tool_parse(&decompose_argp, argc, argv, &j);

  if (code)
    return code;
  tool_catch_signals();
  (void)tool_backend(&code);
  o.force = j.force;
  o.pictures = j.pictures;
  const int files = !j.prefix ? 0 : plot_available() ? OUT_COUNT : OUT_PICTURE;
  if (code == 0 && files)
    code = outputs_plan(&o, j.prefix, (size_t)files, suffixes, 2, (const char *const[]){ j.path, j.mask_path });
  if (code == 0 && files == OUT_PICTURE)
    (void)tool_fail(0, "this program was built without Cairo: no picture is written");
  if (code == 0)
    code = j.kind == KIND_COMPARE ? decompose_compare(&j) : decompose(&j, &o);
  outputs_close(&o);
  hed_release(j.x);
  hed_release(j.mask);
  hed_coo_clear(&j.coo);
  for (int i = 0; i < j.n_slices; i++)
    hed_release(j.slice[i]);
  free(j.slice);
  hed_cp_clear(&j.cp);
  hed_tucker_clear(&j.tucker);
  hed_tt_clear(&j.tt);
  hed_parafac2_clear(&j.parafac2);
  hed_release(j.low);
  hed_release(j.sparse);
  hed_fit_clear(&j.fit);
  free(j.scan_error);
  free(j.scan_consistency);
  decompose_checks_clear(&j.checks);
  decompose_axes_clear(&j);
  return code;
}

const tool_command cmd_decompose = { "decompose", "a tensor as few factors, trains of cores, or parts", run_command };
