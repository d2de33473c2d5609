// SPDX-License-Identifier: BSD-3-Clause
/* hed_rotations_read: lists of rotations from files.
 *
 * Layer: L4, match kit.
 */
#include "base/invariant.h"
#include "kits/match/files/fileio.h"
#include "kits/match/files/stream.h"
#include "kits/match/files/words.h"
#include "kits/match/run/job.h"
#include <heddle/kits/rotation.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char op[] = "hed_rotations_read";
enum { MOST = 100000000 };

typedef struct list { double *m; size_t n, room; } list;

static hed_status add(const hed__text *t, list *l, const double matrix[9])
{
  if (l->n == l->room) {
    const size_t room = l->room ? 2 * l->room : 64;
    double *more = l->n < MOST ? realloc(l->m, 9 * room * sizeof *more) : NULL;
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for more than %zu rotations of '%s'", op, l->n, t->path);
    l->m = more;
    l->room = room;
  }
  memcpy(l->m + 9 * l->n++, matrix, 9 * sizeof *matrix);
  return HED_OK;
}

/* A matrix from three angles or four numbers of a quaternion. */
static hed_status matrix_of(const hed__text *t, int n, const double v[4], int32_t convention, double matrix[9])
{
  HED__ASSERT(n >= 1 && n <= 4);
  if (n == 4 && hed_rotation_from_quaternion(v, matrix) != HED_OK)
    return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu: (%g, %g, %g, %g) is no quaternion", op, t->path, t->line, v[0], v[1],
         v[2], v[3]);
  /* Rx(b) = Rz(-90) Ry(b) Rz(90) */
  const double shift = convention == HED_EULER_ZXZ ? 90 : 0;
  if (n == 3)
    hed_rotation_from_euler((double[3]){ v[0] - shift, v[1], v[2] + shift }, matrix);
  return HED_OK;
}

static hed_status read_columns(hed__text *t, int32_t convention, list *l)
{
  hed__word w[HED__MOST_WORDS];
  int n, columns = 0;
  hed_status status;
  while (hed__next_words(t, w, &n, &status)) {
    double v[4] = { 0 }, matrix[9] = { 0 };
    if ((n != 3 && n != 4) || (columns && n != columns))
      return hed_fail(HED_E_FORMAT, "%s: '%s' line %zu has %d columns; %s", op, t->path, t->line, n,
                      columns ? "those before it had others" : "angles have 3, quaternions 4");
    columns = n;
    for (int i = 0; i < n && status == HED_OK; i++)
      status = hed__word_number(t, &w[i], n == 3 ? "an angle" : "a quaternion", &v[i]);
    if (status != HED_OK || (status = matrix_of(t, n, v, convention, matrix)) != HED_OK || (status = add(t, l, matrix)) != HED_OK)
      return status;
  }
  return status;
}

/* RELION's angles, which describe the transpose. */
static hed_status read_star(hed__text *t, list *l)
{
  static const char *const names[] = { "rlnAngleRot", "rlnAngleTilt", "rlnAnglePsi" };
  hed__star s;
  hed_status status = hed__star_read(t, &s);
  if (status != HED_OK)
    return status;
  const hed__star_loop *loop = hed__star_find(&s, names[0]);
  if (!loop)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no loop with rlnAngleRot", op, t->path);
  for (size_t k = 0; loop && k < loop->rows && status == HED_OK; k++) {
    double v[3], matrix[9];
    for (int i = 0; i < 3 && status == HED_OK; i++)
      status = hed__star_value(&s, loop, k, names[i], 0, &v[i]);
    if (status != HED_OK)
      break;
    hed_rotation_from_euler((double[3]){ 180 - v[2], v[1], 180 - v[0] }, matrix);
    status = add(t, l, matrix);
  }
  hed__star_clear(&s);
  return status;
}

static hed_status read_npy(const char *path, list *l)
{
  hed_array *x = hed_load_npy(path), *d = x ? hed_astype(x, HED_FLOAT64) : NULL;
  const hed_shape s = d ? hed_array_shape(d) : (hed_shape){ .ndim = 0 };
  hed_status status = d ? HED_OK : hed_error();
  if (status == HED_OK && (s.ndim != 3 || s.dim[1] != 3 || s.dim[2] != 3))
    status = hed_fail(HED_E_FORMAT, "%s: '%s' is %d-D; an array of n x 3 x 3 is expected", op, path, (int)s.ndim);
  if (status == HED_OK && !(l->m = hed__to_malloc(d)))
    status = hed_error();
  l->n = status == HED_OK ? (size_t)s.dim[0] : 0;
  hed_release(d);
  hed_release(x);
  if (status == HED_OK && l->n > 0 && hed__rotations_valid(op, 3, l->n, l->m) != HED_OK)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has matrices that are no rotations", op, path);
  return status;
}

static hed_status read_text(const char *path, int32_t convention, list *l)
{
  hed__c_locale locale = { 0 };
  char *text = NULL;
  size_t n = 0;
  hed_status status = hed__file_load(op, path, UINT64_C(1) << 30, &text, &n);
  if (status == HED_OK && n >= 6 && memcmp(text, "\x93NUMPY", 6) == 0) {
    free(text);
    return read_npy(path, l);
  }
  if (status == HED_OK && (status = hed__c_locale_enter(&locale, op)) == HED_OK) {
    hed__text t = { .op = op, .path = path, .p = text, .end = text + n };
    status = memmem(text, n < 4096 ? n : 4096, "data_", 5) ? read_star(&t, l) : read_columns(&t, convention, l);
    hed__c_locale_leave(&locale);
  }
  free(text);
  return status;
}

hed_status hed_rotations_read(const char *path, int32_t convention, double **matrices, size_t *n)
{
  list l = { NULL, 0, 0 };
  if (matrices)
    *matrices = NULL;
  if (n)
    *n = 0;
  if (!path || !matrices || !n)
    return hed_fail(HED_E_INVAL, "%s: an argument is NULL", op);
  if (convention != HED_EULER_ZYZ && convention != HED_EULER_ZXZ)
    return hed_fail(HED_E_INVAL, "%s: convention is %d; HED_EULER_ZYZ (%d) and HED_EULER_ZXZ (%d) are expected", op, (int)convention,
                    HED_EULER_ZYZ, HED_EULER_ZXZ);
  hed_status status = read_text(path, convention, &l);
  if (status == HED_OK && l.n == 0)
    status = hed_fail(HED_E_FORMAT, "%s: '%s' has no rotations", op, path);
  if (status != HED_OK) {
    free(l.m);
    return status;
  }
  *matrices = l.m;
  *n = l.n;
  return HED_OK;
}
