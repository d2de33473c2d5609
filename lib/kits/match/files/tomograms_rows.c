// SPDX-License-Identifier: BSD-3-Clause
/* Rows of a list of tomograms, and their texts.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/files/tomograms.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_TOMOGRAMS = 100000 };

hed_status hed__tomograms_add(hed__tomograms *b)
{
  hed_tomograms *t = b->t;
  if (t->n == MOST_TOMOGRAMS)
    return hed_fail(HED_E_FORMAT, "%s: '%s' has more than %d tomograms", b->op, b->path, MOST_TOMOGRAMS);
  if ((t->n & (t->n - 1)) == 0) {
    const size_t room = t->n ? 2 * t->n : 1;
    hed_tomogram *row = realloc(t->row, room * sizeof *row);
    t->row = row ? row : t->row;
    size_t (*at)[HED__TOMOGRAM_TEXTS] = row ? realloc(b->at, room * sizeof *at) : NULL;
    b->at = at ? at : b->at;
    if (!at)
      return hed_fail(HED_E_NOMEM, "%s: no memory for %zu tomograms of '%s'", b->op, t->n + 1, b->path);
  }
  t->row[t->n] = (hed_tomogram){ 0 };
  memset(b->at[t->n], 0, sizeof b->at[t->n]);
  t->n++;
  return HED_OK;
}

hed_status hed__tomograms_set(hed__tomograms *b, int which, const char *folder, size_t n_folder, const char *s, size_t n,
                              const char *ending)
{
  const size_t n_ending = strlen(ending), all = n_folder + (n_folder > 0) + n + n_ending + 1;
  if (b->room - b->n < all) {
    const size_t room = 2 * (b->room + all);
    char *more = realloc(b->text, room);
    if (!more)
      return hed_fail(HED_E_NOMEM, "%s: no memory for the paths of '%s'", b->op, b->path);
    b->text = more;
    b->room = room;
  }
  char *to = b->text + b->n;
  b->at[b->t->n - 1][which] = b->n + 1;
  if (n_folder) {
    memcpy(to, folder, n_folder);
    to[n_folder] = '/';
    to += n_folder + 1;
  }
  memcpy(to, s, n);
  memcpy(to + n, ending, n_ending + 1);
  b->n += all;
  return HED_OK;
}
