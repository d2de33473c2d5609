// SPDX-License-Identifier: BSD-3-Clause
/* What `heddle match --list' writes and says of all tomograms.
 *
 * Layer: L5.
 */
#include "tools/emit.h"
#include "list.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ALL_PEAKS, ALL_STAR, ALL_TABLE, ALL_SUMMARY, ALL_RELION5, ALL_COUNT };
static const char *const endings[ALL_COUNT] = { "_peaks.tsv", "_peaks.star", "_tomograms.tsv", ".json", "_peaks_relion5.star" };
static const char *const states[] = { "not run", "done", "earlier", "failed" };

/* RELION 5's places where they are asked for, or where the list says what they count from. */
static bool wants_relion5(const match_list *l)
{
  bool wanted = l->job->formats >> HED_TABLE_RELION5 & 1;
  for (size_t i = 0; i < l->tomograms.n; i++)
    wanted = wanted || l->tomograms.row[i].binning > 0;
  return wanted;
}

int match_list_announce(match_list *l)
{
  const match_job *j = l->job;
  l->out.force = j->force || j->resume || j->only; /* they change with each tomogram that is done */
  int code = outputs_plan(&l->out, j->prefix, wants_relion5(l) ? ALL_COUNT : ALL_COUNT - 1, endings, 1,
                          (const char *const[]){ j->list_path });
  for (size_t i = 0; code == 0 && i < l->tomograms.n; i++)
    code = outputs_input(&l->out, l->tomograms.row[i].target);
  return code;
}

/* The rows of all, and the group of each: tomograms of one pixel size are of one. */
typedef struct merged {
  hed_table t;
  size_t *of;             /* tomogram of a row */
  int *group, groups;     /* of a tomogram     */
  double *pixel;          /* of a group        */
  char (*number)[12];     /* of a group        */
} merged;

static void merged_clear(merged *m)
{
  free(m->t.row);
  free(m->of);
  free(m->group);
  free(m->pixel);
  free(m->number);
}

/* UNBINNED: pixels of the tilt series. */
static hed_status merge(const match_list *l, bool unbinned, merged *m)
{
  const size_t n = l->tomograms.n;
  size_t rows = 0;
  for (size_t i = 0; i < n; i++)
    rows += l->entry[i].found.n;
  m->t.row = calloc(rows + 1, sizeof *m->t.row);
  m->of = calloc(rows + 1, sizeof *m->of);
  m->group = calloc(n + 1, sizeof *m->group);
  m->pixel = calloc(n + 1, sizeof *m->pixel);
  m->number = calloc(n + 1, sizeof *m->number);
  if (!m->t.row || !m->of || !m->group || !m->pixel || !m->number)
    return hed_fail(HED_E_NOMEM, "no memory for %zu peaks", rows);
  for (size_t i = 0; i < n; i++) {
    const list_entry *e = &l->entry[i];
    const double pixel = e->frame.voxel[2] / (unbinned && e->frame.binning > 0 ? e->frame.binning : 1);
    if (e->state != LIST_DONE && e->state != LIST_EARLIER)
      continue;
    while (m->group[i] < m->groups && fabs(m->pixel[m->group[i]] - pixel) > 1e-6 * pixel)
      m->group[i]++;
    if (m->group[i] == m->groups)
      m->pixel[m->groups++] = pixel;
    for (size_t k = 0; k < e->found.n; k++) {
      hed_table_row *r = &m->t.row[m->t.n];
      *r = e->found.row[k];
      r->tomogram = l->tomograms.row[i].name;
      r->more = NULL;
      m->of[m->t.n] = i;
      r->id = (int64_t)++m->t.n;
    }
  }
  return HED_OK;
}

/* The table of optics, and each row's group. */
static char *add_optics(merged *m, const char *column)
{
  char *text = NULL;
  size_t n = 0;
  FILE *f = open_memstream(&text, &n);
  if (!f)
    return NULL;
  fprintf(f, "\ndata_optics\n\nloop_\n_rlnOpticsGroup\n_rlnOpticsGroupName\n_%s\n", column);
  for (int g = 0; g < m->groups; g++) {
    snprintf(m->number[g], sizeof m->number[g], "%d", g + 1);
    fprintf(f, "%d\topticsGroup%d\t%.9g\n", g + 1, g + 1, m->pixel[g]);
  }
  if (fclose(f) != 0) {
    free(text);
    return NULL;
  }
  m->t.columns = "rlnOpticsGroup";
  for (size_t k = 0; k < m->t.n; k++)
    m->t.row[k].more = m->number[m->group[m->of[k]]];
  m->t.blocks = m->groups ? text : NULL;
  return text;
}

/* RELION's coordinates are voxels of each tomogram. RELION 5's are angstrom from the middle of each, which no one frame says for all:
 * places become these, in a frame of 1 angstrom whose middle is at 1. */
static hed_status write_star(const match_list *l, const char *path, int format)
{
  const bool centred = format == HED_TABLE_RELION5;
  hed_table_frame frame = { 0 };
  merged m = { .groups = 0 };
  hed_status status = merge(l, centred, &m);
  char *optics = status == HED_OK ? add_optics(&m, centred ? "rlnTomoTiltSeriesPixelSize" : "rlnImagePixelSize") : NULL;
  if (status == HED_OK && !optics)
    status = hed_fail(HED_E_NOMEM, "no memory for the table of optics");
  for (size_t k = 0; k < m.t.n && status == HED_OK && centred; k++)
    for (int a = 0; a < 3; a++) {
      const hed_table_frame *f = &l->entry[m.of[k]].frame;
      const double binning = f->binning > 0 ? f->binning : 1, voxel = f->voxel[a] > 0 ? f->voxel[a] : 1;
      const double unbinned = f->unbinned[a] > 0 ? (double)f->unbinned[a] : binning * (double)f->extent[a];
      m.t.row[k].position[a] = (m.t.row[k].position[a] - unbinned / binning / 2) * voxel + 1;
    }
  for (int a = 0; a < 3 && centred; a++) {
    frame.voxel[a] = m.t.voxel[a] = 1;
    frame.extent[a] = 2;
  }
  if (status == HED_OK)
    status = hed_table_write_as(path, &m.t, format, &frame);
  free(optics);
  merged_clear(&m);
  return status;
}

/* A sentence in a cell of a table. */
static void put_cell(hed_file *f, const char *text)
{
  for (const char *s = text; *s; s++)
    hed_file_print(f, "%c", *s == '\t' || *s == '\n' || *s == '\r' ? ' ' : *s);
}

static void write_table(const match_list *l, hed_file *f)
{
  hed_file_print(f, "# heddle %s match --list %s\nname\ttarget\tstate\tpeaks\tcutoff\tsigma\trotations\tseconds\tfailure\n",
                 hed_version(),
                 l->job->list_path);
  for (size_t i = 0; i < l->tomograms.n; i++) {
    const list_entry *e = &l->entry[i];
    hed_file_print(f, "%s\t", l->tomograms.row[i].name);
    put_cell(f, l->tomograms.row[i].target);
    hed_file_print(f, "\t%s\t%zu\t%.6g\t%.6g\t%.0f\t%.3f\t", states[e->state], e->found.n, e->cutoff, e->sigma, e->rotations,
                   e->seconds);
    put_cell(f, e->failure);
    hed_file_print(f, "\n");
  }
}

/* What repeats tomogram I. */
static void print_command(const match_list *l, size_t i, char *text, size_t room)
{
  snprintf(text, room, "%s --only=%s%s", l->command, l->tomograms.row[i].name, l->job->resume ? "" : " --resume");
}

static emit document(const match_list *l)
{
  const match_job *j = l->job;
  char command[4096];
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.match-list/1");
  emit_string(&e, "version", hed_version());
  emit_string(&e, "list", j->list_path);
  emit_string(&e, "template", j->template_path);
  emit_array(&e, "tomograms");
  for (size_t i = 0; i < l->tomograms.n; i++) {
    const list_entry *r = &l->entry[i];
    emit_object(&e, NULL);
    emit_string(&e, "name", l->tomograms.row[i].name);
    emit_string(&e, "target", l->tomograms.row[i].target);
    emit_string(&e, "state", states[r->state]);
    emit_int(&e, "peaks", (int64_t)r->found.n);
    emit_number(&e, "cutoff", r->cutoff);
    emit_number(&e, "sigma_robust", r->sigma);
    emit_number(&e, "rotations", r->rotations);
    emit_number(&e, "seconds", r->seconds);
    emit_string(&e, "failure", r->state == LIST_FAILED ? r->failure : NULL);
    print_command(l, i, command, sizeof command);
    emit_string(&e, "repeat", r->state == LIST_FAILED ? command : NULL);
    emit_object_end(&e);
  }
  emit_array_end(&e);
  emit_array(&e, "files");
  for (int i = 0; i < l->out.n; i++)
    emit_string(&e, NULL, l->out.final[i]);
  emit_array_end(&e);
  emit_object_end(&e);
  return e;
}

static hed_status write_all(match_list *l)
{
  merged m = { .groups = 0 };
  char comment[600];
  hed_status status = outputs_open(&l->out);
  if (status == HED_OK)
    status = merge(l, false, &m);
  snprintf(comment, sizeof comment, "heddle %s match: %zu tomograms of %.400s", hed_version(), l->tomograms.n, l->job->list_path);
  if (status == HED_OK)
    status = hed_table_write(outputs_name(&l->out, ALL_PEAKS), &m.t, comment);
  merged_clear(&m);
  if (status == HED_OK)
    status = write_star(l, outputs_name(&l->out, ALL_STAR), HED_TABLE_RELION);
  if (status == HED_OK && l->out.n > ALL_RELION5)
    status = write_star(l, outputs_name(&l->out, ALL_RELION5), HED_TABLE_RELION5);
  if (status != HED_OK)
    return status;
  write_table(l, l->out.file[ALL_TABLE]);
  emit e = document(l);
  return outputs_emit(&l->out, ALL_SUMMARY, &e);
}

int match_list_report(match_list *l)
{
  size_t done = 0, peaks = 0;
  char command[4096];
  int code = 0;
  if (write_all(l) != HED_OK)
    return tool_fail_status(hed_error());
  if ((code = outputs_commit(&l->out)) != 0)
    return code;
  for (size_t i = 0; i < l->tomograms.n; i++) {
    const list_entry *e = &l->entry[i];
    done += e->state == LIST_DONE || e->state == LIST_EARLIER;
    peaks += e->found.n;
    if (e->state != LIST_FAILED)
      continue;
    code = code ? code : e->code;
    print_command(l, i, command, sizeof command);
    (void)tool_fail(0, "'%s' failed: %s; once more: %s", l->tomograms.row[i].name, e->failure, command);
  }
  if (l->job->json) {
    emit e = document(l);
    const int printed = tool_emit(&e);
    return code ? code : printed ? printed : peaks ? 0 : STATUS_NEGATIVE;
  }
  printf("%zu of %zu tomograms, %zu peaks\n", done, l->tomograms.n, peaks);
  for (int i = 0; i < l->out.n; i++)
    printf("  %s\n", l->out.final[i]);
  return code ? code : peaks ? 0 : STATUS_NEGATIVE;
}
