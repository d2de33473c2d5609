// SPDX-License-Identifier: BSD-3-Clause
/* `heddle match --list': one template in many tomograms.
 *
 * Layer: L5. Lanes, threads between which the workers are divided, take tomograms in the list's order: while one is read or written
 * the others compute. What belongs to a voxel size is made once. What fails is noted, and the lane goes on.
 */
#include "list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- what tomograms of a voxel size have in common ---- */

struct list_template {
  double voxel[3];
  int ndim;
  double step;
  hed_map tmpl, mask, *others;
  double *matrices;
  size_t n_rotations;
  list_template *next;
};

static hed_map share(const hed_map *m)
{
  hed_map copy = *m;
  copy.data = m->data ? hed_retain(m->data) : NULL;
  return copy;
}

static bool same_voxels(const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++)
    if (fabs(a[i] - b[i]) > 1e-6 * fabs(a[i]))
      return false;
  return true;
}

static size_t matrix_bytes(const list_template *t)
{
  return t->n_rotations * (size_t)(t->ndim * t->ndim) * sizeof *t->matrices;
}

/* What J has read, for those that come. */
static hed_status keep(match_list *l, const match_job *j)
{
  list_template *t = calloc(1, sizeof *t);
  hed_map *others = j->others ? calloc(j->n_more, sizeof *others) : NULL;
  if (t) {
    *t = (list_template){ .ndim = hed_array_ndim(j->target.data), .step = j->step, .n_rotations = j->n_rotations, .next = l->first };
    t->matrices = malloc(matrix_bytes(t) + 1);
  }
  if (!t || !t->matrices || (j->others && !others)) {
    free(t ? t->matrices : NULL);
    free(t);
    free(others);
    return hed_fail(HED_E_NOMEM, "no memory for the template of '%s'", j->tomogram);
  }
  memcpy(t->voxel, j->target.voxel, sizeof t->voxel);
  memcpy(t->matrices, j->matrices, matrix_bytes(t));
  t->tmpl = share(&j->tmpl);
  t->mask = share(&j->mask);
  for (size_t i = 0; others && i < j->n_more; i++)
    others[i] = share(&j->others[i]);
  t->others = others;
  l->first = t;
  return HED_OK;
}

static hed_status take(match_job *j, const list_template *t)
{
  if (!(j->matrices = malloc(matrix_bytes(t) + 1)) || (t->others && !(j->others = calloc(j->n_more, sizeof *j->others))))
    return hed_fail(HED_E_NOMEM, "no memory for the template of '%s'", j->tomogram);
  memcpy(j->matrices, t->matrices, matrix_bytes(t));
  j->n_rotations = t->n_rotations;
  j->step = t->step;
  j->tmpl = share(&t->tmpl);
  j->mask = share(&t->mask);
  for (size_t i = 0; t->others && i < j->n_more; i++)
    j->others[i] = share(&t->others[i]);
  return HED_OK;
}

hed_status match_list_template(match_job *j)
{
  match_list *l = j->list;
  pthread_mutex_lock(&l->lock);
  const list_template *t = l->first;
  while (t && !(t->ndim == hed_array_ndim(j->target.data) && same_voxels(t->voxel, j->target.voxel)))
    t = t->next;
  hed_status status = t ? take(j, t) : match_read_template(j);
  if (status == HED_OK && !t)
    status = keep(l, j);
  pthread_mutex_unlock(&l->lock);
  return status;
}

static void free_templates(match_list *l)
{
  for (list_template *t = l->first, *next; t; t = next) {
    next = t->next;
    hed_map_clear(&t->tmpl);
    hed_map_clear(&t->mask);
    for (size_t i = 0; t->others && i < l->job->n_more; i++)
      hed_map_clear(&t->others[i]);
    free(t->others);
    free(t->matrices);
    free(t);
  }
}

/* ---- one tomogram ---- */

/* "1234 bytes of 1700000000": a file that was replaced is another one. */
static void stamp(char *text, size_t room, const char *name, const char *path)
{
  struct stat st;
  if (path && stat(path, &st) == 0)
    snprintf(text + strlen(text), room - strlen(text), "%s %s, %lld bytes of %lld; ", name, path, (long long)st.st_size,
             (long long)st.st_mtime);
}

void match_list_settings(const match_job *j, char *text, size_t room)
{
  const filters *f = &j->filters;
  *text = '\0';
  stamp(text, room, "target", j->target_path);
  for (size_t t = 0; t <= j->n_more; t++)
    stamp(text, room, "template", match_template_name(j, t));
  stamp(text, room, "mask", j->mask_path);
  stamp(text, room, "target mask", j->target_mask_path);
  stamp(text, room, "tilts", f->tilts_path);
  stamp(text, room, "ctf", f->ctf_path);
  stamp(text, room, "rotations", j->rotations_path);
  stamp(text, room, "seeds", j->seeds_path);
  size_t n = strlen(text);
  n += (size_t)snprintf(text + n, room - n, "score %s, step %g of %g, symmetry %s, sampling %d, voxel %g %g %d, spline %lld, pad %d, "
                        "invert %d, background %d of %llu, clip %g, peaks %lld, distance %g, false positives %g, null %d, score %g "
                        "%d, "
                        "subvoxel %d, zxz %d, strategy %d, bin %lld, coarse step %g, candidates %lld",
                        j->score ? j->score : "FLC", j->step, j->diameter, j->symmetry ? j->symmetry : "C1",
                        j->healpix, j->voxel, j->template_voxel, j->resample, j->spline_order, j->pad, j->invert, j->background,
                        (unsigned long long)j->background_seed, j->clip, j->peaks, j->min_distance, j->false_positives, j->null_shape,
                        j->min_score, j->min_score_given, j->subvoxel, j->zxz, j->chosen ? MATCH_AUTO : j->strategy, j->bin,
                        j->coarse_step, j->candidates);
  n = n < room ? n : room - 1;
  snprintf(text + n, room - n, ", cone %g about %g %g %g, radius %g %g %g, offset %g %g %g, region %lld %lld %lld %lld %lld %lld, "
           "pass %g "
           "%g, whiten %d, tilts %d %g %g %d, hand %d %d, weighting %d, ctf %d %g %g %g %g, faces %d, voids %d, "
           "sub-volumes %lld %lld %lld", j->cone, j->axis[0],
           j->axis[1], j->axis[2], j->radius[0], j->radius[1], j->radius[2], j->offset[0], j->offset[1], j->offset[2],
           (long long)j->region[0][0], (long long)j->region[0][1], (long long)j->region[1][0], (long long)j->region[1][1],
           (long long)j->region[2][0], (long long)j->region[2][1], f->low_pass, f->high_pass, (int)f->whiten, f->tilts_given,
           f->tilt_low, f->tilt_high, f->invert_tilts, f->handedness, f->hand, f->weighting, f->ctf, f->defocus, f->kilovolt, f->cs_mm,
           f->amplitude, f->faces, f->voids, (long long)j->sub_volumes[0], (long long)j->sub_volumes[1], (long long)j->sub_volumes[2]);
  for (char *c = text; *c; c++) /* so that a document has it as it is */
    *c = *c < ' ' || *c == '"' || *c == '\\' || *c == 127 ? '_' : *c;
}

/* The job of row I: what was asked for, with what the row says. */
static hed_status prepare(match_list *l, size_t i, int lane, match_job *j, char *prefix)
{
  const hed_tomogram *r = &l->tomograms.row[i];
  *j = *l->job;
  j->list = l;
  j->row = i;
  j->prefix = prefix;
  j->progress = PROGRESS_OFF;
  j->target_path = r->target;
  j->target_mask_path = r->target_mask ? r->target_mask : j->target_mask_path;
  j->tomogram = r->name;
  j->voxel = r->voxel > 0 ? r->voxel : j->voxel;
  j->binning = r->binning;
  memcpy(j->unbinned, r->unbinned, sizeof j->unbinned);
  memcpy(j->workers, l->workers[lane], sizeof j->workers);
  j->memory = l->job->memory ? l->job->memory / (size_t)l->n_lanes : 0;
  filters *f = &j->filters;
  f->ctf_path = r->ctf ? r->ctf : f->ctf_path;
  f->defocus = r->defocus > 0 || r->defocus < 0 ? r->defocus : f->defocus;
  f->kilovolt = r->kilovolt > 0 ? r->kilovolt : f->kilovolt;
  f->cs_mm = r->cs_mm > 0 ? r->cs_mm : f->cs_mm;
  f->amplitude = r->amplitude_contrast > 0 ? r->amplitude_contrast : f->amplitude;
  f->handedness = r->handedness ? r->handedness : f->handedness;
  return r->tilts ? filters_take_tilts(f, r->tilts) : HED_OK;
}

/* The first item of a list that differs from that of another. */
static void first_difference(const char *a, const char *b, char *out, size_t room)
{
  size_t item = 0, i = 0;
  for (; a[i] && a[i] == b[i]; i++)
    if (a[i] == ' ' && i && strchr(",;", a[i - 1]))
      item = i + 1;
  snprintf(out, room, "'%.*s', and now it is '%.*s'", (int)strcspn(a + item, ",;"), a + item, (int)strcspn(b + item, ",;"), b + item);
}

/* The result of an earlier run, where there is one: of the same search, or an error. */
static hed_status earlier(list_entry *e, const match_job *j)
{
  search_account a;
  char settings[4096], differs[400], *table = NULL;
  if (!search_account_read(j->prefix, &a))
    return HED_OK;
  match_list_settings(j, settings, sizeof settings);
  first_difference(a.settings, settings, differs, sizeof differs);
  hed_status status = strcmp(settings, a.settings) == 0 ? HED_OK :
    hed_fail(HED_E_INVAL, "'%s%s' is of another search, of %s; --force starts anew", j->prefix, search_summary, differs);
  if (status == HED_OK && asprintf(&table, "%s%s", j->prefix, match_table_ending(HED_TABLE_TSV)) < 0)
    return hed_fail(HED_E_NOMEM, "no memory for a name");
  if (status == HED_OK)
    status = hed_table_read(table, &e->found);
  free(table);
  if (status != HED_OK)
    return status;
  e->cutoff = a.cutoff;
  e->sigma = a.sigma;
  e->rotations = a.rotations;
  e->seconds = a.seconds;
  e->frame = (hed_table_frame){ .binning = j->binning };
  for (int k = 0; k < 3; k++) {
    e->frame.voxel[k] = a.voxel[k];
    e->frame.origin[k] = a.origin[k];
    e->frame.extent[k] = (int64_t)a.extent[k];
    e->frame.unbinned[k] = j->unbinned[k];
  }
  e->state = LIST_EARLIER;
  return HED_OK;
}

static void note(list_entry *e, match_job *j)
{
  char room[64];
  e->state = LIST_DONE;
  e->cutoff = j->result.cutoff;
  e->sigma = j->result.sigma_robust;
  e->rotations = (double)j->n_rotations;
  e->seconds = j->result.seconds + j->result.setup_seconds;
  e->frame = tool_frame(&j->target, j->target_path, j->tomogram, room);
  e->frame.tomogram = NULL;
  e->frame.binning = j->binning;
  memcpy(e->frame.unbinned, j->unbinned, sizeof e->frame.unbinned);
  e->found = j->found;
  j->found = (hed_table){ 0 };
}

static void search_one(match_list *l, size_t i, int lane, match_job *j)
{
  list_entry *e = &l->entry[i];
  char *prefix = NULL;
  outputs o = { 0 };
  tool_fail_into(e->failure, sizeof e->failure);
  hed_status status = asprintf(&prefix, "%s_%s", l->job->prefix, l->tomograms.row[i].name) < 0
                        ? hed_fail(HED_E_NOMEM, "no memory for a name") : HED_OK;
  if (status == HED_OK)
    status = prepare(l, i, lane, j, prefix);
  const bool only = l->job->only != NULL, mine = !only || strcmp(l->job->only, l->tomograms.row[i].name) == 0;
  if (status == HED_OK && (!mine || (j->resume && !j->force)))
    status = earlier(e, j);
  if (status != HED_OK)
    e->code = tool_fail_status(status);
  else if (mine && e->state == LIST_WAITS) {
    e->code = match_one(j, &o);
    if (e->code == 0 || e->code == STATUS_NEGATIVE)
      note(e, j);
  }
  e->state = e->code && e->code != STATUS_NEGATIVE ? LIST_FAILED : e->state;
  tool_fail_into(NULL, 0);
  if (status == HED_OK)
    match_clear(j);
  free(prefix);
}

/* ---- lanes ---- */

void match_list_progress(match_job *j, size_t done, size_t total)
{
  match_list *l = j->list;
  size_t all = 0, so_far = 0, usual = total;
  pthread_mutex_lock(&l->lock);
  l->entry[j->row].done = done;
  l->entry[j->row].total = total;
  for (size_t i = 0; i < l->tomograms.n; i++) {
    const list_entry *e = &l->entry[i];
    usual = e->total ? e->total : usual;
    if (e->state == LIST_EARLIER || e->state == LIST_FAILED)
      continue;
    so_far += e->state == LIST_DONE ? e->total : e->done;
    all += usual;
  }
  progress_update(&l->bar, so_far, all);
  pthread_mutex_unlock(&l->lock);
}

static void say(match_list *l, size_t i)
{
  const list_entry *e = &l->entry[i];
  const char *name = l->tomograms.row[i].name;
  if (l->job->json || e->state == LIST_WAITS || (e->state == LIST_FAILED && e->code == STATUS_INTERRUPTED))
    return;
  if (e->state == LIST_FAILED)
    printf("%-20s failed: %s\n", name, e->failure);
  else
    printf("%-20s %6zu peaks of score %.4g and more, %s%.1f s\n", name, e->found.n, e->cutoff,
           e->state == LIST_EARLIER ? "by an earlier run, " : "", e->seconds);
  fflush(stdout);
}

typedef struct lane { match_list *l; int number; } lane;

static void *run_lane(void *arg)
{
  lane *a = arg;
  match_list *l = a->l;
  match_job *j = malloc(sizeof *j);
  for (;;) {
    pthread_mutex_lock(&l->lock);
    const size_t i = l->next++;
    pthread_mutex_unlock(&l->lock);
    if (i >= l->tomograms.n || __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
      break;
    if (j)
      search_one(l, i, a->number, j);
    else {
      l->entry[i].state = LIST_FAILED;
      l->entry[i].code = STATUS_MEMORY;
      snprintf(l->entry[i].failure, sizeof l->entry[i].failure, "no memory for a search");
    }
    pthread_mutex_lock(&l->lock);
    say(l, i);
    pthread_mutex_unlock(&l->lock);
  }
  free(j);
  return NULL;
}

/* Entries of a list of workers; IN of lanes (0: none) gets the K-th, K counted modulo. */
static int deal(const char *workers, int lanes, char (*out)[128], bool serial)
{
  int k = 0;
  for (const char *s = workers;; s += strcspn(s, ",") + 1) {
    const size_t n = strcspn(s, ",");
    const char *star = memchr(s, '*', n);
    const int count = star ? atoi(star + 1) : 1, length = (int)(star ? star - s : (long)n);
    for (int c = 0; c < count; c++, k++) {
      char *to = lanes ? out[k % lanes] : NULL;
      const bool one = serial && !(memmem(s, (size_t)length, "threads=", 8));
      if (to)
        snprintf(to + strlen(to), 128 - strlen(to), "%s%.*s%s", *to ? "," : "", length, s, one ? ";threads=1" : "");
    }
    if (s[n] == '\0')
      return k;
  }
}

/* Bytes that may be taken; 0: not known. */
static double memory_there(const match_job *j)
{
  const double pages = (double)sysconf(_SC_AVPHYS_PAGES), page = (double)sysconf(_SC_PAGESIZE);
  return j->memory ? (double)j->memory : pages > 0 && page > 0 ? pages * page / 2 : 0;
}

/* As many lanes as there are workers, and memory for: of a file at least half of the bytes are taken for voxels, each a float. */
static int count_lanes(const match_list *l, int workers)
{
  const match_job *j = l->job;
  double largest = 1;
  struct stat st;
  for (size_t i = 0; i < l->tomograms.n; i++)
    if (stat(l->tomograms.row[i].target, &st) == 0)
      largest = fmax(largest, (double)st.st_size / 2);
  const int64_t edge = (int64_t)fmax(8, ceil(cbrt(largest)));
  const size_t need = hed_match_memory(j->score ? j->score : "FLC", HED_SHAPE(edge, edge, edge), HED_SHAPE(8, 8, 8), j->pad, 1);
  const double there = memory_there(j);
  int n = j->at_once ? (int)j->at_once : workers;
  if (!j->at_once && need && there > 0)
    n = (int)fmax(1, fmin(n, there / (double)need));
  n = n < workers ? n : workers;
  return (size_t)n < l->tomograms.n ? n : (int)l->tomograms.n;
}

static int open_lanes(match_list *l)
{
  const int workers = deal(l->job->workers, 0, NULL, false);
  l->n_lanes = count_lanes(l, workers);
  if (!(l->workers = calloc((size_t)l->n_lanes, sizeof *l->workers)))
    return tool_fail(STATUS_MEMORY, "out of memory");
  deal(l->job->workers, l->n_lanes, l->workers, workers > 1);
  return 0;
}

static int run_all(match_list *l)
{
  pthread_t *thread = calloc((size_t)l->n_lanes, sizeof *thread);
  lane *a = calloc((size_t)l->n_lanes, sizeof *a);
  int n = 0;
  if (!thread || !a) {
    free(thread);
    free(a);
    return tool_fail(STATUS_MEMORY, "out of memory");
  }
  progress_open(&l->bar, "rotations", l->job->progress);
  for (int i = 0; i < l->n_lanes; i++)
    a[i] = (lane){ l, i };
  while (n < l->n_lanes - 1 && pthread_create(&thread[n], NULL, run_lane, &a[n + 1]) == 0)
    n++;
  run_lane(&a[0]); /* where no thread can be made it does all */
  while (n > 0)
    pthread_join(thread[--n], NULL);
  progress_close(&l->bar);
  free(thread);
  free(a);
  return 0;
}

/* ---- what it would take ---- */

static int descending(const void *a, const void *b)
{
  const double p = *(const double *)a, q = *(const double *)b;
  return (p < q) - (p > q);
}

/* Of each tomogram, and of all: as many at a time as there are lanes, of which the largest may meet. */
static int dry_run_all(match_list *l)
{
  const size_t n = l->tomograms.n;
  match_job *j = malloc(sizeof *j);
  double *memory = calloc(n + 1, sizeof *memory), seconds = 0, longest = 0, most = 0;
  size_t failed = 0;
  char text[24];
  if (!j || !memory) {
    free(j);
    free(memory);
    return tool_fail(STATUS_MEMORY, "out of memory");
  }
  for (size_t i = 0; i < n && !__atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED); i++) {
    list_entry *e = &l->entry[i];
    outputs o = { 0 };
    if (l->job->only && strcmp(l->job->only, l->tomograms.row[i].name) != 0)
      continue;
    printf("%s\n", l->tomograms.row[i].name);
    tool_fail_into(e->failure, sizeof e->failure);
    const hed_status status = prepare(l, i, 0, j, NULL);
    e->code = status == HED_OK ? match_one(j, &o) : tool_fail_status(status);
    tool_fail_into(NULL, 0);
    if (e->code)
      printf("failed          %s\n", e->failure);
    failed += e->code != 0;
    memory[i] = e->code ? 0 : j->dry_memory;
    seconds += e->code ? 0 : j->dry_seconds;
    longest = fmax(longest, e->code ? 0 : j->dry_seconds);
    if (status == HED_OK)
      match_clear(j);
    putchar('\n');
    fflush(stdout);
  }
  qsort(memory, n, sizeof *memory, descending);
  for (int i = 0; i < l->n_lanes && (size_t)i < n; i++)
    most += memory[i];
  printf("tomograms       %zu, %d at a time", l->job->only ? 1 : n, l->n_lanes);
  if (failed)
    printf(", %zu cannot be searched", failed);
  printf("\nmemory          %.0f MiB\ntime            %s\n", ceil(most / 0x1p20),
         progress_duration(fmax(longest, seconds / l->n_lanes), text));
  free(j);
  free(memory);
  return failed ? STATUS_INPUT : 0;
}

/* ---- all ---- */

/* The command, quoted for a shell. */
char *match_quoted(int argc, char **argv)
{
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  for (int i = 0; f && i < argc; i++) {
    const bool plain = argv[i][strspn(argv[i], "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+=./:,@%")] == '\0';
    fputs(i ? " " : "", f);
    if (i && (!plain || !*argv[i])) {
      putc('\'', f);
      for (const char *s = argv[i]; *s; s++)
        fputs(*s == '\'' ? "'\\''" : (char[]){ *s, '\0' }, f);
      putc('\'', f);
    } else {
      fputs(argv[i], f);
    }
  }
  if (f && fclose(f) == 0)
    return text;
  free(text);
  return NULL;
}

/* What every tomogram needs is there; the name that is asked for is in the list. */
static int check_list(const match_list *l)
{
  const match_job *j = l->job;
  const char *const needed[] = { j->mask_path, j->rotations_path, j->seeds_path, j->target_mask_path };
  bool known = !j->only;
  for (size_t t = 0; t <= j->n_more; t++)
    if (access(match_template_name(j, t), R_OK) != 0)
      return tool_fail(STATUS_INPUT, "cannot read '%s'", match_template_name(j, t));
  for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
    if (needed[i] && access(needed[i], R_OK) != 0)
      return tool_fail(STATUS_INPUT, "cannot read '%s'", needed[i]);
  for (size_t i = 0; i < l->tomograms.n && !known; i++)
    known = strcmp(l->tomograms.row[i].name, j->only) == 0;
  return known ? 0 : tool_fail(STATUS_INPUT, "--only: '%s' has no tomogram '%s'", j->list_path, j->only);
}

int match_list_run(match_job *j, int argc, char **argv)
{
  match_list l = { .job = j };
  char *command = match_quoted(argc, argv);
  pthread_mutex_init(&l.lock, NULL);
  l.command = command;
  int code = command ? 0 : tool_fail(STATUS_MEMORY, "out of memory");
  if (code == 0 && hed_tomograms_read(j->list_path, &l.tomograms) != HED_OK)
    code = tool_fail_status(hed_error());
  if (code == 0)
    code = check_list(&l);
  if (code == 0 && !(l.entry = calloc(l.tomograms.n, sizeof *l.entry)))
    code = tool_fail(STATUS_MEMORY, "no memory for %zu tomograms", l.tomograms.n);
  if (code == 0 && !j->dry_run)
    code = match_list_announce(&l);
  if (code == 0)
    code = open_lanes(&l);
  if (code == 0)
    code = j->dry_run ? dry_run_all(&l) : run_all(&l);
  if (code == 0 && __atomic_load_n(&tool_interrupted, __ATOMIC_RELAXED))
    code = tool_fail(STATUS_INTERRUPTED, "interrupted%s",
                     j->dry_run ? "" : "; the same command with --resume goes on from what is done");
  if (code == 0 && !j->dry_run)
    code = match_list_report(&l);
  for (size_t i = 0; l.entry && i < l.tomograms.n; i++)
    hed_table_clear(&l.entry[i].found);
  free(l.entry);
  free(l.workers);
  free_templates(&l);
  outputs_close(&l.out);
  hed_tomograms_clear(&l.tomograms);
  pthread_mutex_destroy(&l.lock);
  free(command);
  return code;
}
