// SPDX-License-Identifier: BSD-3-Clause
/* `heddle match --mpi`: one search by many processes.
 *
 * Layer: L5. Ranks take blocks of rotations from a counter that they share, and each keeps what it did in a checkpoint of its own,
 * PREFIX.hck.N on a file system that all of them see; rank 0 puts these together as `heddle merge' does. So a rank that dies
 * loses what it did since its last checkpoint and nothing else, and --resume goes on, with any number of ranks: what is not in
 * its final form is finished by rank N modulo their number.
 */
#include "job.h"
#include "tools/ranks.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FILES = 100000 };

/* What rank 0 hears of each. */
typedef struct account {
  int code;            /* exit status               */
  uint64_t rotations;  /* that it did               */
  double seconds;
  char host[64], backend[64], why[200];
} account;

struct match_ranks {
  const ranks_module *module;
  int rank, size;
  char **file;         /* checkpoints that are there, by their number; NULL: not there */
  bool *open;          /* whether a rank has to go on with it: as all saw it before the first one did */
  size_t n;            /* one more than the last one's number */
  account *account;    /* of all, on rank 0 */
};

static bool is_there(const char *path)
{
  return access(path, F_OK) == 0;
}

/* PREFIX.hck.N, with or without the background's. */
static bool has_file(const char *path)
{
  char *background = NULL;
  bool there = is_there(path);
  if (!there && asprintf(&background, "%s.background", path) >= 0)
    there = is_there(background);
  free(background);
  return there;
}

static void forget(match_ranks *r)
{
  for (size_t i = 0; i < r->n; i++)
    free(r->file[i]);
  free(r->file);
  free(r->open);
  r->file = NULL;
  r->open = NULL;
  r->n = 0;
}

/* The checkpoints that are there. Numbers have no gaps wider than a run's ranks. */
static hed_status look(match_ranks *r, const char *prefix)
{
  const size_t gap = (size_t)r->size + 4096;
  forget(r);
  for (size_t i = 0; i < r->n + gap && i < FILES; i++) {
    char *path = NULL;
    if (asprintf(&path, "%s.hck.%zu", prefix, i) < 0)
      return hed_fail(HED_E_NOMEM, "no memory for a name");
    if (!has_file(path)) {
      free(path);
      continue;
    }
    char **more = realloc(r->file, (i + 1) * sizeof *more);
    if (!more) {
      free(path);
      return hed_fail(HED_E_NOMEM, "no memory for %zu names", i + 1);
    }
    r->file = more;
    for (size_t k = r->n; k < i; k++)
      r->file[k] = NULL;
    r->file[i] = path;
    r->n = i + 1;
  }
  return HED_OK;
}

static void drop(const match_ranks *r)
{
  for (size_t i = 0; i < r->n; i++) {
    char *background = NULL;
    if (!r->file[i])
      continue;
    (void)unlink(r->file[i]);
    if (asprintf(&background, "%s.background", r->file[i]) >= 0)
      (void)unlink(background);
    free(background);
  }
}

/* Whether file I needs a rank that goes on with it. */
static hed_status unfinished(const match_ranks *r, size_t i, bool *out)
{
  hed_match_checkpoint c = { 0 };
  *out = true;
  if (!is_there(r->file[i])) /* the background's alone */
    return HED_OK;
  const hed_status status = hed_match_checkpoint_read(r->file[i], &c);
  *out = !c.finished;
  if (status == HED_OK && !c.ended && r->rank == 0)
    (void)tool_fail(0, "rank %zu of an earlier run died: %zu rotations are in its checkpoint, those after are lost and done again", i,
                    c.done);
  return status;
}

/* Of all files, before any rank goes on with one. */
static hed_status judge(match_ranks *r)
{
  hed_status status = HED_OK;
  if (!(r->open = calloc(r->n + 1, sizeof *r->open)))
    return hed_fail(HED_E_NOMEM, "no memory for %zu checkpoints", r->n);
  for (size_t i = 0; i < r->n && status == HED_OK; i++)
    if (r->file[i])
      status = unfinished(r, i, &r->open[i]);
  return status;
}

int match_ranks_open(match_job *j)
{
  match_ranks *r = calloc(1, sizeof *r);
  if (!r)
    return tool_fail(STATUS_MEMORY, "out of memory");
  j->ranks = r;
  r->module = ranks_open(&r->rank, &r->size);
  return r->module ? 0 : STATUS_USAGE;
}

bool match_ranks_first(const match_job *j)
{
  return !j->ranks || j->ranks->rank == 0;
}

int match_ranks_agree(const match_job *j, int code)
{
  return j->ranks && j->ranks->module ? j->ranks->module->largest(code) : code;
}

int match_ranks_files(match_job *j)
{
  match_ranks *r = j->ranks;
  const hed_status status = look(r, j->prefix);
  if (status != HED_OK)
    return tool_fail_status(status);
  if (r->n && !j->resume && !j->force)
    return r->rank ? 0 : tool_fail(STATUS_INPUT, "'%s' exists; --resume goes on from it, --force starts anew", r->file[r->n - 1]);
  if (r->n && !j->resume) {
    if (r->rank == 0)
      drop(r);
    forget(r);
  }
  const hed_status judged = judge(r);
  return judged == HED_OK ? 0 : tool_fail_status(judged);
}

void match_ranks_close(match_job *j, bool together)
{
  match_ranks *r = j->ranks;
  if (!r)
    return;
  if (r->module && together)
    r->module->close();
  forget(r);
  free(r->account);
  free(r);
  j->ranks = NULL;
}

static hed_status next(void *arg, size_t number, uint64_t *out)
{
  const match_ranks *r = arg;
  return r->module->next(number, out) ? HED_OK
                                      : hed_fail(HED_E_UNAVAILABLE, "%s: counter %zu gives no number", r->module->name, number);
}

typedef struct watcher { match_ranks *r; progress *bar; } watcher;

static int on_progress(void *arg, size_t done, size_t total)
{
  const watcher *w = arg;
  w->r->module->progress();
  if (w->bar)
    progress_update(w->bar, done, total);
  return 0;
}

/* Rotations that this process did, over all checkpoints that it went on with. */
static void add_account(account *a, hed_match_result *r)
{
  for (int i = 0; i < r->n_workers; i++) {
    a->rotations += r->worker[i].rotations;
    snprintf(a->backend, sizeof a->backend, "%s", r->worker[i].backend);
  }
  a->seconds += r->seconds + r->setup_seconds;
}

/* This rank's part of the search, into checkpoint PATH. The result is not a whole one; the last one's extents are kept. */
static hed_status run_one(match_job *j, hed_match_options *opt, const char *path, account *mine)
{
  hed_match_result r;
  opt->checkpoint = path;
  opt->resume = has_file(path);
  const hed_status status = hed_match_run(opt, j->target.data, j->tmpl.data, j->mask.data, j->n_rotations, j->matrices, &r);
  if (status != HED_OK)
    return status;
  add_account(mine, &r);
  hed_match_result_clear(&j->result);
  j->result = r;
  return HED_OK;
}

/* All that this rank has to do: checkpoints that it goes on with, or a new one. */
static hed_status run_mine(match_job *j, hed_match_options *opt, account *mine)
{
  match_ranks *r = j->ranks;
  char **others = calloc(r->n + 1, sizeof *others), *own = NULL;
  bool any = false;
  hed_status status = others ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for %zu names", r->n);
  for (size_t i = 0; i < r->n && status == HED_OK; i++) {
    if (!r->file[i] || !r->open[i] || i % (size_t)r->size != (size_t)r->rank)
      continue;
    opt->n_others = 0;
    for (size_t k = 0; k < r->n; k++)
      if (k != i && r->file[k])
        others[opt->n_others++] = r->file[k];
    opt->others = (const char *const *)others;
    status = run_one(j, opt, r->file[i], mine);
    any = true;
  }
  if (!any && status == HED_OK) {
    opt->n_others = 0;
    for (size_t k = 0; k < r->n; k++)
      if (r->file[k])
        others[opt->n_others++] = r->file[k];
    opt->others = (const char *const *)others;
    status = asprintf(&own, "%s.hck.%zu", j->prefix, r->n + (size_t)r->rank) < 0 ? hed_fail(HED_E_NOMEM, "no memory for a name")
                                                                                 : run_one(j, opt, own, mine);
    free(own);
  }
  free(others);
  return status;
}

/* The merged result, in the place of rank 0's own; workers are the ranks. */
static hed_status take_result(match_job *j, hed_match_result *all)
{
  const match_ranks *r = j->ranks;
  hed_match_result *to = &j->result;
  hed_match_worker *worker = calloc((size_t)r->size, sizeof *worker);
  if (!worker)
    return hed_fail(HED_E_NOMEM, "no memory for %d ranks", r->size);
  double total = 0;
  for (int i = 0; i < r->size; i++)
    total += (double)r->account[i].rotations;
  for (int i = 0; i < r->size; i++) {
    const account *a = r->account + i;
    snprintf(worker[i].spec, sizeof worker[i].spec, "rank %d on %s", i, a->host);
    snprintf(worker[i].backend, sizeof worker[i].backend, "%s", a->backend);
    worker[i].rotations = a->rotations;
    worker[i].seconds = a->seconds;
    worker[i].share = total > 0 ? (double)a->rotations / total : 0;
    to->seconds = a->seconds > to->seconds ? a->seconds : to->seconds;
  }
  free(to->worker);
  to->worker = worker;
  to->n_workers = r->size;
  hed_release(to->scores);
  hed_release(to->rotations);
  to->scores = all->scores;
  to->rotations = all->rotations;
  all->scores = all->rotations = NULL;
  to->n_rotations = all->n_rotations;
  to->n_scores = all->n_scores;
  to->mean = all->mean;
  to->sigma = all->sigma;
  to->sigma_robust = all->sigma_robust;
  to->kurtosis = all->kurtosis;
  to->lowest = all->lowest;
  to->cutoff = all->cutoff;
  to->n_false_positives = all->n_false_positives;
  return HED_OK;
}

/* The checkpoints of all ranks; of the background's search those beside them. */
static hed_status merge_files(match_job *j, bool background, hed_match_result *out, size_t *missing)
{
  match_ranks *r = j->ranks;
  char **path = calloc(r->n + 1, sizeof *path);
  size_t n = 0;
  hed_status status = path ? HED_OK : hed_fail(HED_E_NOMEM, "no memory for %zu names", r->n);
  for (size_t i = 0; i < r->n && status == HED_OK; i++)
    if (r->file[i] && asprintf(&path[n], "%s%s", r->file[i], background ? ".background" : "") >= 0) {
      if (is_there(path[n]))
        n++;
      else
        free(path[n]);
    }
  if (status == HED_OK)
    status = hed_match_merge_partial(n, (const char *const *)path, out, missing);
  for (size_t i = 0; i < n; i++)
    free(path[i]);
  free(path);
  return status;
}

static hed_status merge_all(match_job *j, size_t *missing)
{
  hed_match_result all = { 0 }, background = { 0 };
  hed_status status = look(j->ranks, j->prefix);
  if (status == HED_OK)
    status = merge_files(j, false, &all, missing);
  if (status == HED_OK && j->background && *missing == 0 &&
      (status = merge_files(j, true, &background, missing)) == HED_OK && *missing == 0)
    status = hed_match_correct(&all, &background);
  if (status == HED_OK && *missing == 0)
    status = take_result(j, &all);
  if (status == HED_OK && *missing == 0)
    drop(j->ranks);
  hed_match_result_clear(&all);
  hed_match_result_clear(&background);
  return status;
}

/* Rank 0's last word: everything is there, or who has failed, and what is missing. */
static int conclude(match_job *j, hed_status *status)
{
  const match_ranks *r = j->ranks;
  size_t missing = 0;
  int code = 0;
  for (int i = 0; i < r->size; i++)
    if (r->account[i].code) {
      code = r->account[i].code;
      (void)tool_fail(0, "rank %d on %s failed: %s", i, r->account[i].host, r->account[i].why);
    }
  *status = merge_all(j, &missing);
  if (*status == HED_OK && missing)
    return tool_fail(code ? code : STATUS_NEGATIVE, "%zu rotations are lost; the same command with --resume does them", missing);
  return 0;
}

int match_ranks_run(match_job *j, hed_match_options *opt, hed_status *status)
{
  match_ranks *r = j->ranks;
  progress bar;
  account mine = { 0 };
  const size_t block = j->n_rotations / ((size_t)r->size * 32);
  const hed_match_counter counter = { next, r, block < 1 ? 1 : block < 64 ? block : 64 };
  watcher w = { r, r->rank == 0 ? &bar : NULL };
  opt->counter = &counter;
  opt->progress = on_progress;
  opt->progress_arg = &w;
  if (gethostname(mine.host, sizeof mine.host - 1) != 0)
    snprintf(mine.host, sizeof mine.host, "a host");
  if (r->rank == 0)
    progress_open(&bar, "rotations", j->progress);
  *status = run_mine(j, opt, &mine);
  if (r->rank == 0)
    progress_close(&bar);
  if (*status == HED_E_CANCELLED) /* the others were told, too, or will be */
    return 0;
  if (*status != HED_OK) {
    mine.code = tool_code(*status);
    snprintf(mine.why, sizeof mine.why, "%s", hed_error_text());
  }
  *status = HED_OK;
  if (r->rank == 0 && !(r->account = calloc((size_t)r->size, sizeof *r->account)))
    mine.code = STATUS_MEMORY;
  if (r->rank == 0 && !r->account)
    return tool_fail(STATUS_MEMORY, "out of memory");
  if (!r->module->gather(&mine, r->account, sizeof mine))
    return tool_fail(STATUS_BACKEND, "%s: the ranks cannot be heard", r->module->name);
  return r->rank == 0 ? conclude(j, status) : mine.code;
}
