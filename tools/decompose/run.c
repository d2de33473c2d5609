// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle decompose` reads, computes and saves.
 *
 * Layer: L5.
 */
#include "job.h"
#include <heddle/kits/tensor_mat.h>
#include <heddle/kits/tensor_metrics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- inputs ---- */

static bool ends_with(const char *path, const char *suffix)
{
  const char *dot = strrchr(path, '.');
  return dot && strcmp(dot, suffix) == 0;
}

bool decompose_is_archive(const char *path) { return ends_with(path, ".npz"); }
bool decompose_is_list(const char *path) { return ends_with(path, ".tns"); }
static bool is_mat(const char *path) { return ends_with(path, ".mat"); }
bool decompose_has_names(const char *path) { return decompose_is_archive(path) || is_mat(path); }
bool decompose_is_table(const char *path) { return ends_with(path, ".csv"); }

/* A name that is not there is of the input, not of what computes. */
static hed_array *named(hed_array *x)
{
  char why[400];
  snprintf(why, sizeof why, "%s", hed_error_text());
  if (!x && hed_error() == HED_E_NOTFOUND)
    (void)hed_fail(HED_E_INVAL, "%s", why);
  return x;
}

/* Whether the header of an .npy says that its elements are text, which would be read as numbers of letters. */
static bool is_text(const char *path)
{
  static const char key[] = "'descr':";
  char head[257] = "";
  FILE *f = fopen(path, "rb");
  const size_t n = f ? fread(head, 1, sizeof head - 1, f) : 0;
  if (f)
    fclose(f);
  const char *at = memmem(head, n, key, strlen(key));
  return at && at[strlen(key) + strspn(at + strlen(key), " '<>|=")] == 'U';
}

hed_array *decompose_load_npy(const char *path)
{
  hed_array *x = hed_load_npy(path);
  if (!x || !is_text(path))
    return x;
  hed_release(x);
  (void)hed_fail(HED_E_FORMAT, "'%s' holds text; numbers are expected", path);
  return NULL;
}

static hed_array *load(const char *path, const char *name)
{
  hed_npz *z = NULL;
  hed_array *out = NULL;
  if (decompose_is_table(path))
    return decompose_read_table(path);
  if (is_mat(path))
    return named(hed_load_mat(path, name));
  if (!decompose_is_archive(path))
    return decompose_load_npy(path);
  if (hed_npz_open(path, &z) == HED_OK) {
    const char *which = name;
    for (int i = 0; !which && i < hed_npz_count(z); i++) /* archives of models begin with a word that says what they are */
      which = strcmp(hed_npz_name(z, i), "format") == 0 ? NULL : hed_npz_name(z, i);
    if (which)
      out = named(hed_npz_load(z, which));
    else
      (void)hed_fail(HED_E_FORMAT, "'%s' holds no arrays", path);
  }
  hed_npz_close(z);
  return out;
}

/* A table as a tensor of the shape that was asked for, in C order. */
static hed_status fold(decompose_job *j)
{
  int64_t n = 1;
  if (!j->fold.ndim)
    return HED_OK;
  const hed_shape s = hed_array_shape(j->x);
  for (int k = 0; k < j->fold.ndim && n <= hed_array_size(j->x); k++)
    n *= j->fold.dim[k];
  if (n != hed_array_size(j->x))
    return hed_fail(HED_E_SHAPE, "--shape: '%s' has %lld rows of %lld numbers, %lld in all, which do not fill it", j->path,
                    (long long)s.dim[0], (long long)s.dim[1], (long long)hed_array_size(j->x));
  hed_array *folded = hed_reshape(j->x, j->fold);
  hed_release(j->x);
  j->x = folded;
  return folded ? HED_OK : hed_error();
}

/* The arrays of an archive, or what lies along the first axis of X. */
static hed_status read_slices(decompose_job *j)
{
  hed_npz *z = NULL;
  hed_status status = HED_OK;
  const bool archive = decompose_is_archive(j->path) && !j->name;
  if (archive)
    status = hed_npz_open(j->path, &z);
  else if (!(j->x = load(j->path, j->name)) || fold(j) != HED_OK)
    status = hed_error();
  const hed_shape s = hed_array_shape(j->x);
  if (status == HED_OK && !archive && s.ndim != 3)
    status = hed_fail(HED_E_SHAPE, "'%s' has %d %s; PARAFAC2 takes 3, or an archive of matrices", j->path, (int)s.ndim,
                      s.ndim == 1 ? "axis" : "axes");
  const int64_t n = status != HED_OK ? 0 : archive ? hed_npz_count(z) : s.dim[0];
  if (status == HED_OK && (n < 1 || n > 1 << 24))
    status = hed_fail(HED_E_FORMAT, "'%s' holds %lld slices", j->path, (long long)n);
  if (status == HED_OK && !(j->slice = calloc((size_t)n, sizeof(hed_array *))))
    status = hed_fail(HED_E_NOMEM, "no memory for %lld slices", (long long)n);
  for (; status == HED_OK && j->n_slices < n; j->n_slices++) {
    j->slice[j->n_slices] = archive ? hed_npz_load(z, hed_npz_name(z, j->n_slices)) : hed_index(j->x, 0, j->n_slices);
    status = j->slice[j->n_slices] ? HED_OK : hed_error();
  }
  hed_npz_close(z);
  return status;
}

/* What was said of modes by number: axes, maps; tables. */
static hed_status fits_names(decompose_job *j)
{
  const int order = decompose_order(j), most = j->map[0] > j->map[1] ? j->map[0] : j->map[1];
  if (j->map[0] != j->map[1] && most >= order)
    return hed_fail(HED_E_AXIS, "--map: mode %d of '%s', a tensor of order %d: its modes are 0 to %d", most, j->path, order,
                    order - 1);
  const hed_status status = decompose_read_axes(j);
  return status == HED_OK ? decompose_check_tables(j) : status;
}

hed_status decompose_read(decompose_job *j)
{
  if (j->kind == KIND_PARAFAC2) {
    const hed_status status = read_slices(j);
    return status == HED_OK ? fits_names(j) : status;
  }
  if (decompose_is_list(j->path)) {
    const hed_status status = hed_coo_load_tns(j->path, &j->coo);
    if (status != HED_OK)
      return status;
  } else if (!(j->x = load(j->path, j->name)) || fold(j) != HED_OK) {
    return hed_error();
  }
  if (j->mask_path && !(j->mask = decompose_load_npy(j->mask_path)))
    return hed_error();
  const int axes = j->x ? hed_array_ndim(j->x) : j->coo.shape.ndim;
  if (axes < 2)
    return hed_fail(HED_E_SHAPE, "'%s' has %d %s; at least 2 are expected", j->path, axes, axes == 1 ? "axis" : "axes");
  hed_status status = decompose_check_constraint(j, axes);
  if (status == HED_OK)
    status = fits_names(j);
  if (status == HED_OK)
    status = decompose_remove_scatter(j);
  if (status != HED_OK)
    return status;
  return HED_OK;
}

/* ---- the decomposition ---- */

static int on_sweep(void *arg, const hed_sweep *now)
{
  decompose_job *j = arg;
  if (j->bar.bar) {
    fprintf(stderr, "\r\033[K%ssweep %lld%s  error %.6g  %.1f s", j->bar.colour ? "\033[32m" : "", (long long)now->sweep,
            j->bar.colour ? "\033[0m" : "", now->error, now->seconds);
    if (now->restart > 0)
      fprintf(stderr, "  start %lld", (long long)now->restart + 1);
    fflush(stderr);
    j->bar.drawn = true;
  }
  return 0;
}

static hed_sweeps sweeps_of(decompose_job *j)
{
  return (hed_sweeps){ .max = j->sweeps, .tol = j->tol, .progress = on_sweep, .progress_arg = j, .cancel = &tool_interrupted,
                       .keep_partial = j->keep_partial && !j->scan_high };
}

hed_cp_options decompose_cp_options(decompose_job *j)
{
  hed_cp_options o = { .sweeps = sweeps_of(j), .restarts = j->restarts, .random = { .seed = j->seed, .seeded = true },
                       .mask = j->mask, .nan_is_missing = j->missing_nan, .normalise = !decompose_keeps_sizes(j),
                       .start_by = j->init };
  const int axes = j->x ? hed_array_ndim(j->x) : j->coo.shape.ndim;
  for (int k = 0; k < axes && k < HED_MAX_NDIM && j->nonnegative; k++)
    o.nonnegative_modes.axis[o.nonnegative_modes.n++] = k;
  return o;
}

static hed_status run_constrained(decompose_job *j, int64_t rank, const hed_cp_options *cp, hed_cp *out, hed_fit *fit)
{
  hed_cp_constrained_options o = { .cp = *cp };
  memcpy(o.constraint, j->constraint, sizeof o.constraint);
  return hed_cp_constrained(j->x, rank, &o, out, fit);
}

/* Another loss than squares; of counts in a list by multiplicative steps. */
static hed_status run_loss(decompose_job *j, int64_t rank, const hed_cp_options *cp, hed_cp *out, hed_fit *fit)
{
  const hed_gcp_options o = { .sweeps = cp->sweeps, .loss = (hed_gcp_loss)j->loss, .parameter = j->parameter, .start_by = cp->start_by,
                              .nonnegative_modes = cp->nonnegative_modes, .restarts = cp->restarts, .random = cp->random,
                              .mask = cp->mask, .nan_is_missing = cp->nan_is_missing, .normalise = true };
  const hed_cp_apr_options counts = { .sweeps = cp->sweeps, .restarts = cp->restarts, .random = cp->random };
  return j->x ? hed_gcp(j->x, rank, &o, out, fit) : hed_coo_cp_apr(&j->coo, rank, &counts, out, fit);
}

static hed_status run_cp(decompose_job *j, int64_t rank, hed_cp *out, hed_fit *fit)
{
  hed_cp_hals_options o = { .cp = decompose_cp_options(j) };
  if (j->loss >= 0)
    return run_loss(j, rank, &o.cp, out, fit);
  if (j->constrained)
    return run_constrained(j, rank, &o.cp, out, fit);
  if (!j->x)
    return hed_coo_cp_als(&j->coo, rank, &o.cp, out, fit);
  return j->nonnegative ? hed_cp_nn_hals(j->x, rank, &o, out, fit) : hed_cp_als(j->x, rank, &o.cp, out, fit);
}

static hed_status run_tucker(decompose_job *j)
{
  const hed_random seed = { .seed = j->seed, .seeded = true };
  const hed_tucker_options o = { .sweeps = sweeps_of(j), .random = seed, .random_start = j->init == HED_START_RANDOM,
                                 .mask = j->mask, .nan_is_missing = j->missing_nan };
  if (!j->x)
    return hed_coo_tucker(&j->coo, &j->ranks, &(hed_coo_tucker_options){ .sweeps = sweeps_of(j), .random = seed }, &j->tucker,
                          &j->fit);
  return j->nonnegative ? hed_tucker_nonnegative(j->x, &j->ranks, HED_NN_TUCKER_HALS, &o, &j->tucker, &j->fit)
                        : hed_tucker_hooi(j->x, &j->ranks, &o, &j->tucker, &j->fit);
}

static hed_status run_parafac2(decompose_job *j)
{
  const hed_parafac2_options o = { .sweeps = sweeps_of(j), .missing_nan = j->missing_nan, .normalise = true,
                                   .nonnegative_a = j->nonnegative, .nonnegative_c = j->nonnegative, .restarts = j->restarts,
                                   .random_start = j->init == HED_START_RANDOM,
                                   .random = { .seed = j->seed, .seeded = true } };
  return hed_parafac2_als(j->n_slices, (const hed_array *const *)j->slice, j->ranks.dim[0], &o, &j->parafac2, &j->fit);
}

/* The core consistency of C, of what is known of X. */
static hed_status consistency_of(const decompose_job *j, const hed_cp *c, double *out)
{
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *known = decompose_known(j);
    status = known || !(j->mask || j->missing_nan) ? hed_core_consistency(j->x, known, c, out) : hed_error();
  }
  return status;
}

/* What the best component explains of noise: the largest sum over unit vectors is, of normal numbers, at most the sum of the roots of
 * the extents (Y. Gordon, Israel J. Math. 50 (1985) 265-289), and elements that are not known are fewer squares. */
static hed_status noise_of(decompose_job *j)
{
  const double most = .9; /* of few elements, which a component may explain all */
  const hed_shape s = hed_array_shape(j->x);
  double roots = 0, n = (double)hed_array_size(j->x);
  hed_status status = HED_OK;
  HED_SCOPE_OR(return hed_error()) {
    hed_array *known = decompose_known(j), *count = known ? hed_count_nonzero(known, NULL) : NULL;
    if (j->mask || j->missing_nan)
      status = count ? hed_item(count, &n) : hed_error();
  }
  for (int k = 0; k < s.ndim; k++)
    roots += sqrt((double)s.dim[k]);
  j->noise = fmin(roots * roots / fmax(n, 1), most);
  return status;
}

/* CP of each rank; the last one's factors stay. With --keep-partial an interrupted scan is one of the ranks that were done. */
static hed_status scan(decompose_job *j)
{
  const size_t n = (size_t)(j->scan_high - j->scan_low + 1);
  hed_status status = noise_of(j);
  j->scan_error = calloc(n, sizeof *j->scan_error);
  j->scan_consistency = calloc(n, sizeof *j->scan_consistency);
  if (!j->scan_error || !j->scan_consistency)
    return hed_fail(HED_E_NOMEM, "no memory for %zu ranks", n);
  while (status == HED_OK && j->scanned < (int)n) {
    hed_cp c = { 0 };
    hed_fit fit = { 0 };
    status = run_cp(j, j->scan_low + j->scanned, &c, &fit);
    if (status == HED_OK)
      status = consistency_of(j, &c, &j->scan_consistency[j->scanned]);
    if (status == HED_OK) {
      hed_cp_clear(&j->cp);
      hed_fit_clear(&j->fit);
      j->cp = c;
      j->fit = fit;
      j->scan_error[j->scanned++] = fit.error;
    } else {
      hed_cp_clear(&c);
      hed_fit_clear(&fit);
    }
  }
  return status == HED_E_CANCELLED && j->keep_partial && j->scanned > 0 ? HED_OK : status;
}

long long decompose_advice(const decompose_job *j, bool *little)
{
  int n = 0, best = 0;
  bool more = true;
  while (n < j->scanned && j->scan_consistency[n] >= 60)
    n++;
  for (; best < n && more; best++) { /* does any of the ranks above explain more than as many components of noise? */
    more = false;
    for (int i = best + 1; i < n && !more; i++) {
      const double left = j->scan_error[i] / j->scan_error[best];
      more = left * left < pow(1 - j->noise, i - best);
    }
  }
  if (little)
    *little = best < n;
  return n ? j->scan_low + best - 1 : 0;
}

hed_status decompose_run(decompose_job *j)
{
  hed_status status = HED_OK;
  progress_open(&j->bar, "sweeps", j->quiet ? PROGRESS_OFF : PROGRESS_AUTO);
  switch (j->kind) {
  case KIND_CP:
    status = j->scan_high ? scan(j) : run_cp(j, j->ranks.dim[0], &j->cp, &j->fit);
    break;
  case KIND_TUCKER: status = run_tucker(j); break;
  case KIND_TT: status = hed_tt_svd(j->x, j->ranks.ndim ? &j->ranks : NULL, j->eps, &j->tt, &j->fit.error); break;
  case KIND_PARAFAC2: status = run_parafac2(j); break;
  case KIND_ROBUST:
    status = hed_robust_pca(j->x, &(hed_robust_options){ .sweeps = sweeps_of(j), .mask = j->mask }, &j->low, &j->sparse, &j->fit);
    break;
  case KIND_COMPARE:
  case KIND_NONE:
  case KIND_COUNT: break;
  }
  if (status == HED_OK)
    status = decompose_check(j);
  progress_close(&j->bar);
  return status;
}

const hed_array *decompose_factor(const decompose_job *j, int k)
{
  if (j->kind == KIND_PARAFAC2)
    return k == 0 ? j->parafac2.a : k == 2 ? j->parafac2.c : NULL;
  return j->kind == KIND_CP ? j->cp.factor[k] : j->kind == KIND_TUCKER ? j->tucker.factor[k] : NULL;
}

const hed_array *decompose_weights(const decompose_job *j)
{
  return j->kind == KIND_CP ? j->cp.weights : j->kind == KIND_PARAFAC2 ? j->parafac2.weights : NULL;
}

double decompose_explained(double error) { return 100 * (1 - error * error); }

hed_status decompose_save(const decompose_job *j, const char *path)
{
  switch (j->kind) {
  case KIND_CP: return hed_cp_save(path, &j->cp);
  case KIND_TUCKER: return hed_tucker_save(path, &j->tucker);
  case KIND_TT: return hed_tt_save(path, &j->tt);
  case KIND_PARAFAC2: return hed_parafac2_save(path, &j->parafac2);
  case KIND_ROBUST: {
    const hed_array *both[] = { j->low, j->sparse };
    return hed_save_npz(path, 2, (const char *const[]){ "low", "sparse" }, both, false);
  }
  case KIND_COMPARE:
  case KIND_NONE:
  case KIND_COUNT: break;
  }
  return hed_fail(HED_E_INVAL, "nothing to save");
}
