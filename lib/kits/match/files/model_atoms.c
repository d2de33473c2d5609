// SPDX-License-Identifier: BSD-3-Clause
/* The growing struct of arrays that the readers fill, and the choice between alternate locations.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/model_internal.h"
#include <stdlib.h>
#include <string.h>

static bool grow(double **p, size_t n) {
  double *q = realloc(*p, n * sizeof **p);
  if (q)
    *p = q;
  return q != NULL;
}

hed_status hed__model_add(hed__model_reader *r, const hed__atom *atom) {
  hed_model *m = r->model;
  if (m->n == r->room) {
    size_t more = r->room ? 2 * r->room : 1024;
    uint8_t *z = NULL;
    bool good = grow(&m->x, more) && grow(&m->y, more) && grow(&m->z, more) &&
                grow(&m->occupancy, more) && grow(&m->b, more) &&
                (z = realloc(m->atomic_number, more)) != NULL;
    if (z)
      m->atomic_number = z;
    if (!good)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu atoms of '%s'", r->op, more,
                      r->name);
    r->room = more;
  }
  m->x[m->n] = atom->x;
  m->y[m->n] = atom->y;
  m->z[m->n] = atom->z;
  m->occupancy[m->n] = atom->occupancy;
  m->b[m->n] = atom->b;
  m->atomic_number[m->n] = atom->atomic_number;
  m->n++;
  return HED_OK;
}

bool hed__altloc_take(hed__altloc *a, const char *residue, size_t n, const char *location,
                      size_t location_n) {
  if (n > sizeof a->residue)
    n = sizeof a->residue;
  if (a->n != n || memcmp(a->residue, residue, n) != 0) {
    memcpy(a->residue, residue, n);
    a->n = n;
    a->location[0] = '\0';
  }
  if (location_n == 0)
    return true;
  if (location_n >= sizeof a->location)
    location_n = sizeof a->location - 1;
  if (a->location[0] == '\0') {
    memcpy(a->location, location, location_n);
    a->location[location_n] = '\0';
    return true;
  }
  return strlen(a->location) == location_n &&
         memcmp(a->location, location, location_n) == 0;
}
