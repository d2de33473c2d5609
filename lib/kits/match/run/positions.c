// SPDX-License-Identifier: BSD-3-Clause
/* Where a part's positions are.
 *
 * Layer: L4, match kit.
 */
#include "kits/match/run/positions.h"

hed__positions hed__positions_of(const hed__job *job)
{
  hed__positions p = { { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 }, { 1, 1, 1 }, { 0, 0, 0 }, { 1, 1, 1 } };
  for (int i = 0; i < job->ndim; i++) {
    const int a = 3 - job->ndim + i;
    p.target[a] = job->undivided.dim[i];
    p.n[a] = job->keep[i] ? job->keep[i] : p.target[a];
    p.first[a] = job->fresh[i];
    p.begin[a] = job->begin[i];
    p.half[a] = job->keep[i] ? 0 : job->tmpl.dim[i] / 2;
    p.fast[a] = job->fast.dim[i];
  }
  return p;
}
