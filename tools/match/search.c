// SPDX-License-Identifier: BSD-3-Clause
/* Maps, rotations and summary of a search, written and read again.
 *
 * Layer: L5.
 */
#include "search.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

const char search_scores[] = "_scores.mrc", search_indices[] = "_rotations.mrc", search_list[] = "_rotations.npy",
           search_summary[] = ".json";

static char *name_of(const char *prefix, const char *ending)
{
  char *name = NULL;
  if (asprintf(&name, "%s%s", prefix, ending) >= 0)
    return name;
  (void)hed_fail(HED_E_NOMEM, "no memory for a name");
  return NULL;
}

hed_status search_write_indices(const char *path, const hed_array *rotations, size_t n_rotations, const hed_map *like)
{
  hed_map m = *like;
  if (n_rotations > (size_t)1 << 24)
    return hed_save_npy(path, rotations);
  snprintf(m.label, sizeof m.label, "heddle %s match: index of the best of %zu rotations", hed_version(), n_rotations);
  m.data = hed_astype(rotations, HED_FLOAT32);
  const hed_status status = m.data ? hed_map_write(path, &m, 2) : hed_error();
  hed_release(m.data);
  return status;
}

/* A map of numbers, or where there are too many for one, an array. */
static hed_status read_indices(const char *path, search *s)
{
  hed_map m;
  if (hed_map_read(path, &m) == HED_OK) {
    s->rotations = hed_astype(m.data, HED_INT32);
    hed_map_clear(&m);
  } else {
    hed_error_clear();
    s->rotations = hed_load_npy(path);
  }
  return s->rotations ? HED_OK : hed_error();
}

static hed_status read_list(const char *path, search *s)
{
  hed_array *x = hed_load_npy(path), *d = x ? hed_astype(x, HED_FLOAT64) : NULL;
  const hed_shape shape = d ? hed_array_shape(d) : (hed_shape){ .ndim = 0 };
  const int n = hed_array_ndim(s->scores.data);
  hed_status status = d ? HED_OK : hed_error();
  if (status == HED_OK && (shape.ndim != 3 || shape.dim[1] != n || shape.dim[2] != n))
    status = hed_fail(HED_E_FORMAT, "'%s' is no list of rotations in %d dimensions", path, n);
  const size_t bytes = d ? hed_array_nbytes(d) : 0;
  if (status == HED_OK && !(s->matrices = malloc(bytes + 1)))
    status = hed_fail(HED_E_NOMEM, "no memory for the rotations of '%s'", path);
  if (status == HED_OK)
    status = hed_to_host(d, s->matrices, bytes);
  s->n_matrices = status == HED_OK ? (size_t)shape.dim[0] : 0;
  hed_release(d);
  hed_release(x);
  return status;
}

/* COUNT numbers behind KEY in a document that `heddle match' wrote. */
static bool numbers_of(const char *text, const char *key, int count, double *v)
{
  const char *s = strstr(text, key);
  char *end;
  for (s = s ? s + strlen(key) : NULL; s && count > 0; count--, s = end) {
    s += strspn(s, " :[,\n");
    *v++ = strtod(s, &end);
    if (end == s)
      return false;
  }
  return s != NULL;
}

static bool number_of(const char *text, const char *key, double *v)
{
  return numbers_of(text, key, 1, v);
}

/* The beginning of a document, which has all but the peaks. */
static bool read_document(const char *path, char *text, size_t room)
{
  FILE *f = fopen(path, "r");
  if (!f)
    return false;
  const size_t n = fread(text, 1, room - 1, f);
  (void)fclose(f);
  text[n] = '\0';
  return true;
}

static void read_summary(const char *path, search *s)
{
  char text[16384];
  double cutoff, wanted;
  if (!read_document(path, text, sizeof text))
    return;
  s->summary = number_of(text, "\"sigma_robust\"", &s->sigma) && number_of(text, "\"scores\"", &s->n_scores) &&
               number_of(text, "\"cutoff\"", &cutoff) && number_of(text, "\"false_positives\"", &wanted);
  if (!number_of(text, "\"kurtosis\"", &s->kurtosis))
    s->kurtosis = 3;
  if (s->summary)
    s->centre = cutoff - hed_match_cutoff_shaped(s->sigma, s->kurtosis, s->n_scores, wanted);
}

bool search_account_read(const char *prefix, search_account *a)
{
  static const char key[] = "\"settings\": \"";
  char text[16384], *path = name_of(prefix, search_summary);
  const bool there = path && read_document(path, text, sizeof text);
  const char *s = there ? strstr(text, key) : NULL;
  double setup;
  free(path);
  *a = (search_account){ 0 };
  if (!s)
    return false;
  s += strlen(key);
  snprintf(a->settings, sizeof a->settings, "%.*s", (int)strcspn(s, "\""), s);
  if (!number_of(text, "\"cutoff\"", &a->cutoff) || !number_of(text, "\"sigma_robust\"", &a->sigma) ||
      !number_of(text, "\"rotations\"", &a->rotations) || !number_of(text, "\"seconds\"", &a->seconds) ||
      !number_of(text, "\"setup_seconds\"", &setup) || !numbers_of(text, "\"voxel\"", 3, a->voxel) ||
      !numbers_of(text, "\"origin\"", 3, a->origin) || !numbers_of(text, "\"extent\"", 3, a->extent))
    return false;
  a->seconds += setup;
  return true;
}

hed_status search_read(const char *prefix, search *s)
{
  char *scores = name_of(prefix, search_scores), *indices = name_of(prefix, search_indices), *list = name_of(prefix, search_list);
  char *summary = name_of(prefix, search_summary);
  hed_status status = scores && indices && list && summary ? HED_OK : hed_error();
  if (status == HED_OK)
    status = tool_read_map(scores, NULL, &s->scores);
  if (status == HED_OK)
    status = read_indices(indices, s);
  if (status == HED_OK)
    status = read_list(list, s);
  if (status == HED_OK)
    read_summary(summary, s);
  free(scores);
  free(indices);
  free(list);
  free(summary);
  return status;
}

int search_outputs(const char *prefix, const outputs *o)
{
  const char *const endings[] = { search_scores, search_indices, search_list, search_summary };
  int code = 0;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && code == 0; i++) {
    char *name = name_of(prefix, endings[i]);
    code = name ? outputs_input(o, name) : tool_fail_status(hed_error());
    free(name);
  }
  return code;
}

void search_clear(search *s)
{
  hed_map_clear(&s->scores);
  hed_release(s->rotations);
  free(s->matrices);
  *s = (search){ 0 };
}

static bool same_name(const char *a, const char *b)
{
  return a == b || (a && b && strcmp(a, b) == 0);
}

/* Whether a table's tomogram, a name or the path of a file, is WANTED, a name. */
static bool is_wanted(const char *tomogram, const char *wanted)
{
  const char *slash = tomogram ? strrchr(tomogram, '/') : NULL, *base = slash ? slash + 1 : tomogram;
  const char *dot = base ? strrchr(base, '.') : NULL;
  return tomogram && (strcmp(tomogram, wanted) == 0 || strcmp(base, wanted) == 0 ||
                      (dot && strlen(wanted) == (size_t)(dot - base) && strncmp(base, wanted, (size_t)(dot - base)) == 0));
}

static hed_status one_tomogram(const char *path, const table_wanted *wanted, hed_table *t)
{
  enum { SHOWN = 4 };
  const char *names[SHOWN] = { NULL };
  char said[200] = "";
  size_t n = 0, kept = 0;
  for (size_t i = 0; i < t->n; i++) {
    bool seen = i > 0 && same_name(t->row[i].tomogram, t->row[i - 1].tomogram);
    for (size_t k = 0; k < n && !seen; k++)
      seen = same_name(names[k], t->row[i].tomogram);
    if (!seen && n < SHOWN)
      names[n++] = t->row[i].tomogram;
  }
  for (size_t i = 0; i < t->n && n == 1 && wanted->named; i++)
    t->row[i].tomogram = NULL; /* the name that is given */
  for (size_t i = 0; i < t->n && n > 1; i++)
    if (is_wanted(t->row[i].tomogram, wanted->tomogram))
      t->row[kept++] = t->row[i];
  if (n < 2)
    return HED_OK;
  for (size_t k = 0; k < n; k++)
    snprintf(said + strlen(said), sizeof said - strlen(said), "%s%.40s", k ? ", " : "", names[k] ? names[k] : "none");
  if (kept == 0)
    return hed_fail(HED_E_INVAL, "'%s' has the tomograms %s%s, and none is '%s': --tomo-name says whose rows to take", path, said,
                    n == SHOWN ? " and so on" : "", wanted->tomogram);
  (void)tool_fail(0, "'%s' has several tomograms: %zu of %zu rows are of '%s'", path, kept, t->n, wanted->tomogram);
  t->n = kept;
  return HED_OK;
}

hed_status tool_mask_fits(const hed_map *m, const char *path, const hed_map *whose, const char *whose_path)
{
  char text[2][96];
  if (!m->data)
    return HED_OK;
  const hed_shape s[2] = { hed_array_shape(m->data), hed_array_shape(whose->data) };
  bool same = s[0].ndim == s[1].ndim;
  for (int i = 0; same && i < s[0].ndim; i++)
    same = s[0].dim[i] == s[1].dim[i];
  for (int k = 0; k < 2; k++) {
    text[k][0] = '\0';
    for (int i = 0; i < s[k].ndim && i < 4; i++)
      snprintf(text[k] + strlen(text[k]), sizeof text[k] - strlen(text[k]), "%s%lld", i ? " x " : "", (long long)s[k].dim[i]);
  }
  return same ? HED_OK : hed_fail(HED_E_SHAPE, "the mask '%s' has %s voxels, '%s' %s; they have one shape", path, text[0], whose_path,
                                  text[1]);
}

hed_status tool_read_table(const char *path, int format, const hed_table_frame *frame, const table_wanted *wanted, hed_table *out)
{
  hed_status status = hed_table_read_as(path, format, frame, out);
  if (status == HED_OK && wanted->measured && out->voxel[2] > 0 && tool_voxels_differ(out->voxel[2], frame->voxel[2]))
    status = hed_fail(HED_E_INVAL, "'%s' has voxels of %g angstrom, the tomogram of %g; heddle convert --voxel %g says that its "
                      "places are in the tomogram's", path, out->voxel[2], frame->voxel[2], frame->voxel[2]);
  if (status == HED_OK && wanted->tomogram)
    status = one_tomogram(path, wanted, out);
  if (status == HED_OK && wanted->turned && out->missing && strstr(out->missing, "phi"))
    return hed_fail(HED_E_INVAL, "'%s' has no %s, and --cone is about its rows' own axes", path, out->missing);
  if (status == HED_OK && out->missing)
    (void)tool_fail(0, "'%s' has no %s: 0 is taken", path, out->missing);
  return status;
}

void tool_say_omitted(const hed_table *t, int format, const char *path)
{
  char text[200];
  if (hed_table_omits(t, format, text, sizeof text))
    (void)tool_fail(0, "'%s' has no place for: %s", path, text);
}

hed_table_frame tool_frame(const hed_map *target, const char *path, const char *name, char room[64])
{
  const hed_shape s = hed_array_shape(target->data);
  const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path, *dot = strchr(base, '.');
  hed_table_frame f = { .tomogram = name ? name : room };
  snprintf(room, 64, "%.*s", (int)(dot ? dot - base : (long)strlen(base)), base);
  for (char *c = room; *c; c++)
    if (strchr(" \t\"'#", *c))
      *c = '_';
  for (int i = 0; i < 3; i++) {
    f.voxel[i] = target->voxel[i];
    f.origin[i] = target->origin[i];
    f.extent[i] = i < 3 - s.ndim ? 1 : s.dim[i - (3 - s.ndim)];
  }
  return f;
}
