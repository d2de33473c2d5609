// SPDX-License-Identifier: BSD-3-Clause
/* hed_tomograms_read: lists of tomograms as tables and RELION 5's.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/tomograms.h"
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/words.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char op[] = "hed_tomograms_read";
static const uint64_t most_bytes = UINT64_C(1) << 26;
enum { MOST_PATH = 4096 };

/* ---- a list's names ---- */

/* The name that a file has: what is behind the last slash and before the ending. */
static void name_of(const char *path, const char **s, size_t *n)
{
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strrchr(base, '.');
  if (dot && strcmp(dot, ".gz") == 0)
    for (dot--; dot > base && *dot != '.'; dot--)
      continue;
  *s = base;
  *n = dot && dot > base ? (size_t)(dot - base) : strlen(base);
}

static int by_name(const void *a, const void *b)
{
  return strcmp((*(const hed_tomogram *const *)a)->name, (*(const hed_tomogram *const *)b)->name);
}

/* Names become those of files and of tables. */
static hed_status check_names(const hed__tomograms *b)
{
  const hed_tomograms *t = b->t;
  const hed_tomogram **sorted = calloc(t->n + 1, sizeof *sorted);
  hed_status status = sorted ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for %zu tomograms of '%s'", op, t->n, b->path);
  for (size_t i = 0; i < t->n && status == HED_OK; i++) {
    sorted[i] = &t->row[i];
    if (!*t->row[i].name || strlen(t->row[i].name) > 100 || strpbrk(t->row[i].name, " \t/\"'#\\") || *t->row[i].name == '.')
      status = hed_fail(HED_E_FORMAT, "%s: '%s': tomogram %zu has the name '%.100s'; 1 to 100 characters without blanks, slashes and "
                        "quotes are expected", op, b->path, i + 1, t->row[i].name);
  }
  if (status == HED_OK)
    qsort(sorted, t->n, sizeof *sorted, by_name);
  for (size_t i = 1; i < t->n && status == HED_OK; i++)
    if (strcmp(sorted[i]->name, sorted[i - 1]->name) == 0)
      status = hed_fail(HED_E_FORMAT, "%s: '%s': tomograms %td and %td have the name '%s'", op, b->path,
                        (sorted[i - 1] < sorted[i] ? sorted[i - 1] : sorted[i]) - t->row + 1,
                        (sorted[i - 1] < sorted[i] ? sorted[i] : sorted[i - 1]) - t->row + 1, sorted[i]->name);
  free(sorted);
  return status;
}

/* Places in the text become texts. */
static hed_status finish(hed__tomograms *b)
{
  hed_tomograms *t = b->t;
  if (t->n == 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has no tomograms", op, b->path);
  for (size_t i = 0; i < t->n; i++) { /* names that were not said: the text must not move any more behind this */
    const char *s;
    size_t n;
    if (b->at[i][HED__NAME])
      continue;
    const size_t all = t->n;
    char *copy = strdup(b->text + b->at[i][HED__TARGET] - 1);
    t->n = i + 1;
    hed_status status = copy ? HED_OK : hed_fail(HED_E_NOMEM, "%s: no memory for a name", op);
    if (status == HED_OK) {
      name_of(copy, &s, &n);
      status = hed__tomograms_set(b, HED__NAME, NULL, 0, s, n, "");
    }
    free(copy);
    t->n = all;
    if (status != HED_OK)
      return status;
  }
  for (size_t i = 0; i < t->n; i++) {
    hed_tomogram *r = &t->row[i];
    const char **const texts[HED__TOMOGRAM_TEXTS] = { &r->name, &r->target, &r->target_mask, &r->tilts, &r->ctf };
    for (int k = 0; k < HED__TOMOGRAM_TEXTS; k++)
      *texts[k] = b->at[i][k] ? b->text + b->at[i][k] - 1 : NULL;
  }
  return check_names(b);
}

/* ---- tables ---- */

typedef struct column { const char *name; int text; size_t number; double low, high; } column;

#define NUMBER(member) HED__TOMOGRAM_TEXTS, offsetof(hed_tomogram, member)
static const column columns[] = {
  { "name", HED__NAME, 0, 0, 0 }, { "target", HED__TARGET, 0, 0, 0 }, { "target_mask", HED__TARGET_MASK, 0, 0, 0 },
  { "tilts", HED__TILTS, 0, 0, 0 }, { "ctf", HED__CTF, 0, 0, 0 }, { "defocus", NUMBER(defocus), -1e6, 1e6 },
  { "voxel", NUMBER(voxel), 1e-3, 1e6 }, { "kilovolt", NUMBER(kilovolt), 1, 1e4 }, { "cs", NUMBER(cs_mm), 1e-3, 100 },
  { "amplitude", NUMBER(amplitude_contrast), 0, 0.999 }, { "hand", HED__TOMOGRAM_TEXTS, SIZE_MAX, -1, 1 },
};
#undef NUMBER
enum { COLUMNS = sizeof columns / sizeof columns[0] };

static bool is_range(const hed__word *w)
{
  size_t n = 0;
  while (n < w->n && w->s[n] && strchr("+-.,0123456789eE ", w->s[n]))
    n++;
  return n == w->n;
}

/* A word of the last row. */
static hed_status take(hed__tomograms *b, const hed__text *text, const column *c, const hed__word *w)
{
  const char *slash = strrchr(b->path, '/');
  const bool path = c->text != HED__NAME && *w->s != '/' && !(c->text == HED__TILTS && is_range(w));
  hed_tomogram *r = &b->t->row[b->t->n - 1];
  double v = 0;
  if (memchr(w->s, '\0', w->n))
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s has a byte of 0 in it", op, b->path, w->line, c->name);
  if (c->text < HED__TOMOGRAM_TEXTS)
    return hed__tomograms_set(b, c->text, b->path, path && slash ? (size_t)(slash - b->path) : 0, w->s, w->n, "");
  const hed_status status = hed__word_number(text, w, c->name, &v);
  if (status != HED_OK)
    return status;
  if (!(v >= c->low) || v > c->high || (c->number == SIZE_MAX && fabs(v) < 1))
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is %g; %s%g %s %g is expected", op, b->path, w->line, c->name, v,
                    c->number == SIZE_MAX ? "" : "between ", c->low, c->number == SIZE_MAX ? "or" : "and", c->high);
  if (c->number == SIZE_MAX)
    r->handedness = v < 0 ? -1 : 1;
  else
    memcpy((char *)r + c->number, &v, sizeof v);
  return HED_OK;
}

static hed_status read_table(hed__tomograms *b, hed__text *text)
{
  hed__word w[HED__MOST_WORDS];
  const column *known[HED__MOST_WORDS] = { NULL };
  char shown[40];
  int names, n, target = -1;
  hed_status status;
  text->separators = "\t";
  if (!hed__next_words(text, w, &names, &status))
    return status != HED_OK ? status : hed_fail(HED_E_FORMAT, "%s: '%s' is empty: no line of column names", op, b->path);
  for (int i = 0; i < names; i++) {
    for (int c = 0; c < COLUMNS; c++)
      known[i] = hed__word_is(&w[i], columns[c].name) ? &columns[c] : known[i];
    for (int k = 0; k < i && known[i]; k++)
      if (known[k] == known[i])
        return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu names column '%s' twice", op, b->path, text->line, known[i]->name);
    if (!known[i])
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: '%s' is no column of a list of tomograms (name, target, target_mask, tilts, "
                      "ctf, defocus, voxel, kilovolt, cs, amplitude, hand)", op, b->path, text->line,
                      hed__printable(w[i].s, w[i].n, shown, sizeof shown));
    target = known[i]->text == HED__TARGET ? i : target;
  }
  if (target < 0)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has no column 'target'", op, b->path, text->line);
  while (status == HED_OK && hed__next_words(text, w, &n, &status)) {
    if (n != names)
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d fields instead of %d", op, b->path, text->line, n, names);
    status = hed__tomograms_add(b);
    for (int i = 0; i < n && status == HED_OK; i++)
      if (w[i].n && !hed__word_is(&w[i], "-"))
        status = take(b, text, known[i], &w[i]);
    if (status == HED_OK && !b->at[b->t->n - 1][HED__TARGET])
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has no target", op, b->path, text->line);
  }
  return status;
}

/* ---- RELION 5 ---- */

/* A path of a project: from the working folder, or from the list's or one above, where it is there. */
static hed_status set_project_path(hed__tomograms *b, int which, const hed__word *w)
{
  char path[MOST_PATH];
  if (w->n >= 2000 || strlen(b->path) >= 2000 || memchr(w->s, '\0', w->n))
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: a path of %zu characters", op, b->path, w->line, w->n);
  snprintf(path, sizeof path, "%.*s", (int)w->n, w->s);
  if (*path != '/' && access(path, F_OK) != 0)
    for (const char *end = strrchr(b->path, '/'); end; end = end > b->path ? memrchr(b->path, '/', (size_t)(end - b->path)) : NULL) {
      snprintf(path, sizeof path, "%.*s/%.*s", (int)(end - b->path), b->path, (int)w->n, w->s);
      if (access(path, F_OK) == 0)
        return hed__tomograms_set(b, which, NULL, 0, path, strlen(path), "");
    }
  return hed__tomograms_set(b, which, NULL, 0, w->s, w->n, "");
}

static hed_status relion_numbers(hed__tomograms *b, const hed__star *s, const hed__star_loop *l, size_t row)
{
  static const char *const sizes[] = { "rlnTomoSizeZ", "rlnTomoSizeY", "rlnTomoSizeX" };
  hed_tomogram *r = &b->t->row[b->t->n - 1];
  double pixel, hand, size;
  struct { const char *name; double *to; } const numbers[] = {
    { "rlnTomoTiltSeriesPixelSize", &pixel }, { "rlnTomoTomogramBinning", &r->binning }, { "rlnVoltage", &r->kilovolt },
    { "rlnSphericalAberration", &r->cs_mm }, { "rlnAmplitudeContrast", &r->amplitude_contrast }, { "rlnTomoHand", &hand },
  };
  hed_status status = HED_OK;
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0] && status == HED_OK; i++) {
    status = hed__star_value(s, l, row, numbers[i].name, 0, numbers[i].to);
    if (status == HED_OK && i < 5 && !(*numbers[i].to >= 0))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is %g", op, b->path, l->cell[row * l->columns].line, numbers[i].name,
                        *numbers[i].to);
  }
  for (int a = 0; a < 3 && status == HED_OK; a++)
    if ((status = hed__star_value(s, l, row, sizes[a], 0, &size)) == HED_OK) {
      if (!(size >= 0) || size > 1e7)
        return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: %s is %g", op, b->path, l->cell[row * l->columns].line, sizes[a], size);
      r->unbinned[a] = (int64_t)size;
    }
  if (status != HED_OK)
    return status;
  r->handedness = hand < 0 ? -1 : hand > 0 ? 1 : 0;
  r->voxel = pixel * (r->binning > 0 ? r->binning : 1);
  if (!(r->binning > 0)) /* then nothing says that voxels are those of the tilt series */
    r->voxel = 0;
  return HED_OK;
}

static hed_status read_relion(hed__tomograms *b, hed__text *text)
{
  static const char *const volumes[] = { "rlnTomoReconstructedTomogram", "rlnTomoReconstructedTomogramDenoised",
                                         "rlnTomoReconstructedTomogramHalf1" };
  hed__star s;
  hed_status status = hed__star_read(text, &s);
  if (status != HED_OK)
    return status;
  const hed__star_loop *l = hed__star_find(&s, "rlnTomoName");
  int volume = -1;
  for (int i = 0; l && i < 3 && volume < 0; i++)
    volume = hed__star_column(l, volumes[i]);
  if (volume < 0)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no %s", op, b->path,
                      l ? "rlnTomoReconstructedTomogram: its tomograms are not reconstructed" : "rlnTomoName");
  for (size_t k = 0; l && k < l->rows && status == HED_OK; k++) {
    const hed__word *w = &l->cell[k * l->columns], *name = &w[hed__star_column(l, "rlnTomoName")];
    const int tilts = hed__star_column(l, "rlnTomoTiltSeriesStarFile");
    status = hed__tomograms_add(b);
    if (status == HED_OK && memchr(name->s, '\0', name->n))
      status = hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: rlnTomoName has a byte of 0 in it", op, b->path, name->line);
    if (status == HED_OK)
      status = hed__tomograms_set(b, HED__NAME, NULL, 0, name->s, name->n, "");
    if (status == HED_OK)
      status = set_project_path(b, HED__TARGET, &w[volume]);
    if (status == HED_OK && tilts >= 0)
      status = set_project_path(b, HED__TILTS, &w[tilts]);
    if (status == HED_OK)
      status = relion_numbers(b, &s, l, k);
  }
  hed__star_clear(&s);
  return status;
}

static hed_status read_file(hed__tomograms *b)
{
  hed__c_locale locale = { 0 };
  char *file = NULL;
  size_t n = 0;
  hed__word w[HED__MOST_WORDS];
  int words = 0;
  hed_status status = hed__file_load(op, b->path, most_bytes, &file, &n);
  if (status != HED_OK)
    return status;
  hed__text text = { .op = op, .path = b->path, .p = file, .end = file + n }, first = text;
  if ((status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    const bool any = hed__next_words(&first, w, &words, &status);
    if (any && ((w[0].n >= 5 && memcmp(w[0].s, "data_", 5) == 0) || hed__word_is(&w[0], "loop_")))
      status = read_relion(b, &text);
    else if (status == HED_OK)
      status = read_table(b, &text);
    hed__c_locale_leave(&locale);
  }
  free(file);
  return status;
}

hed_status hed_tomograms_read(const char *path, hed_tomograms *out)
{
  struct stat st;
  hed_tomograms t = { 0 };
  hed__tomograms b = { .op = op, .path = path, .t = &t };
  if (out)
    *out = (hed_tomograms){ 0 };
  if (!path || !out)
    return hed_fail(HED_E_INVAL, "%s: %s is NULL", op, path ? "out" : "path");
  hed_status status = stat(path, &st) == 0 && S_ISDIR(st.st_mode) ? hed__tomograms_folder(&b) : read_file(&b);
  if (status == HED_OK)
    status = finish(&b);
  free(b.at);
  t.text = b.text;
  if (status == HED_OK)
    *out = t;
  else
    hed_tomograms_clear(&t);
  return status;
}

void hed_tomograms_clear(hed_tomograms *t)
{
  if (!t)
    return;
  free(t->row);
  free((void *)(uintptr_t)t->text);
  *t = (hed_tomograms){ 0 };
}
