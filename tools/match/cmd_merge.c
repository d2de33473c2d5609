// SPDX-License-Identifier: BSD-3-Clause
/* `heddle merge`: the shares of a search, put together.
 *
 * Layer: L5. What a share's checkpoint does not know, voxel size and rotations, comes from --like and from the list that lies beside
 * the first share.
 */
#include "tools/emit.h"
#include "search.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OUT_SCORES, OUT_ROTATIONS, OUT_LIST, OUT_SUMMARY, OUT_COUNT };

typedef struct request {
  const char *prefix, *like, **part;
  size_t n;
  bool partial, force;
  char *list;             /* beside the first share */
  hed_match_result result;
  size_t missing;
} request;

enum { KEY_LIKE = 256, KEY_PARTIAL, KEY_FORCE };

static const struct argp_option options[] = {
  { "output", 'o', "PREFIX", 0, "Write PREFIX_scores.mrc, PREFIX_rotations.mrc, PREFIX_rotations.npy and PREFIX.json", 0 },
  { "like", KEY_LIKE, "MAP", 0, "Voxel size and origin are those of this map: the target", 0 },
  { "partial", KEY_PARTIAL, NULL, 0, "Write what there is where shares are missing; the exit status is 1 all the same", 0 },
  { "force", KEY_FORCE, NULL, 0, "Replace files that exist", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case 'o': r->prefix = arg; return 0;
  case KEY_LIKE: r->like = arg; return 0;
  case KEY_PARTIAL: r->partial = true; return 0;
  case KEY_FORCE: r->force = true; return 0;
  case ARGP_KEY_ARG: {
    const char **more = realloc(r->part, (r->n + 1) * sizeof *more);
    if (!more)
      return ENOMEM;
    r->part = more;
    more[r->n++] = arg;
    return 0;
  }
  case ARGP_KEY_END:
    if (r->n == 0)
      argp_error(state, "files of shares are expected");
    else if (!r->prefix)
      argp_error(state, "-o PREFIX is missing");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* The shares of the background's search, where all have one, taken out of the scores. */
static hed_status correct(request *r)
{
  hed_match_result background = { 0 };
  char **name = calloc(r->n, sizeof *name);
  hed_status status = name ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for %zu names", r->n);
  bool all = name != NULL;
  for (size_t i = 0; i < r->n && all; i++)
    all = asprintf(&name[i], "%s.background", r->part[i]) >= 0 && access(name[i], R_OK) == 0;
  if (all && status == HED_OK &&
      (status = hed_match_merge_partial(r->n, (const char *const *)name, &background, NULL)) == HED_OK)
    status = hed_match_correct(&r->result, &background);
  hed_match_result_clear(&background);
  for (size_t i = 0; name && i < r->n; i++)
    free(name[i]);
  free(name);
  return status;
}

static hed_status write_summary(const request *r, outputs *o)
{
  const hed_match_result *m = &r->result;
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.merge/1");
  emit_string(&e, "version", hed_version());
  emit_int(&e, "rotations", (int64_t)m->n_rotations);
  emit_int(&e, "missing", (int64_t)r->missing);
  emit_number(&e, "mean", m->mean);
  emit_number(&e, "sigma", m->sigma);
  emit_number(&e, "sigma_robust", m->sigma_robust);
  emit_number(&e, "kurtosis", m->kurtosis);
  emit_number(&e, "cutoff", m->cutoff);
  emit_number(&e, "false_positives", m->n_false_positives);
  emit_int(&e, "scores", (int64_t)m->n_scores);
  emit_object_end(&e);
  return outputs_emit(o, OUT_SUMMARY, &e);
}

static hed_status write_all(request *r, outputs *o)
{
  hed_map like = { 0 }, scores = { 0 };
  hed_array *list = NULL;
  hed_status status = r->like ? tool_read_map(r->like, NULL, &like) : HED_OK;
  scores.data = r->result.scores;
  memcpy(scores.voxel, like.voxel, sizeof scores.voxel);
  memcpy(scores.origin, like.origin, sizeof scores.origin);
  snprintf(scores.label, sizeof scores.label, "heddle %s merge: best score of %zu rotations", hed_version(), r->result.n_rotations);
  if (status == HED_OK && !(list = hed_load_npy(r->list)))
    status = hed_error();
  if (status == HED_OK)
    status = outputs_open(o);
  if (status == HED_OK)
    status = hed_map_write(outputs_name(o, OUT_SCORES), &scores, 2);
  if (status == HED_OK)
    status = search_write_indices(outputs_name(o, OUT_ROTATIONS), r->result.rotations, r->result.n_rotations, &scores);
  if (status == HED_OK)
    status = hed_save_npy(outputs_name(o, OUT_LIST), list);
  if (status == HED_OK)
    status = write_summary(r, o);
  hed_release(list);
  hed_map_clear(&like);
  return status;
}

/* PART.hck's list is PART_rotations.npy. */
static int find_list(request *r)
{
  const char *first = r->part[0];
  const size_t n = strlen(first), stem = n > 4 && strcmp(first + n - 4, ".hck") == 0 ? n - 4 : n;
  if (asprintf(&r->list, "%.*s%s", (int)stem, first, search_list) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  return 0;
}

/* Whether a merge failed as shares are missing and for nothing else, which its sentence then says. */
static bool are_missing(const request *r)
{
  hed_match_result some = { 0 };
  size_t missing = 0;
  char why[600];
  snprintf(why, sizeof why, "%s", tool_reason());
  const hed_status status = hed_match_merge_partial(r->n, r->part, &some, &missing);
  hed_match_result_clear(&some);
  if (status == HED_OK && missing)
    (void)tool_fail(STATUS_NEGATIVE, "%s", why);
  return status == HED_OK && missing;
}

static int merge(request *r, outputs *o)
{
  int code = find_list(r);
  if (code)
    return code;
  hed_status status = r->partial ? hed_match_merge_partial(r->n, r->part, &r->result, &r->missing)
                                 : hed_match_merge(r->n, r->part, &r->result);
  if (status == HED_E_INVAL && !r->partial && are_missing(r))
    return STATUS_NEGATIVE;
  if (status == HED_OK)
    status = correct(r);
  if (status == HED_OK)
    status = write_all(r, o);
  if (status != HED_OK)
    return tool_fail_status(status);
  if ((code = outputs_commit(o)) != 0)
    return code;
  printf("%zu rotations of %zu shares\n", r->result.n_rotations, r->n);
  for (int i = 0; i < o->n; i++)
    printf("  %s\n", o->final[i]);
  return r->missing ? tool_fail(STATUS_NEGATIVE, "%zu rotations are missing", r->missing) : 0;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "SHARE.hck...",
    .doc = "Put the shares of a search together.\v"
           "Shares are what `heddle match --share K/N -o SHARE' leaves; `heddle peaks PREFIX' goes on from here. Where some are "
             "missing "
           "it is said which, with exit status 1."
  };
  static const char *const endings[OUT_COUNT] = { search_scores, search_indices, search_list, search_summary };
  request r = { 0 };
  outputs o = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  o.force = r.force;
  if (code == 0)
    code = outputs_plan(&o, r.prefix, OUT_COUNT, endings, r.n, r.part);
  if (code == 0)
    code = outputs_input(&o, r.like);
  if (code == 0)
    code = merge(&r, &o);
  outputs_close(&o);
  hed_match_result_clear(&r.result);
  free(r.list);
  free(r.part);
  return code;
}

const tool_command cmd_merge = { "merge", "the shares of a search, put together", run_command };
