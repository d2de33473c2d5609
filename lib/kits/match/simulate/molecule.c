// SPDX-License-Identifier: BSD-3-Clause
/* The molecule of the demonstrations.
 *
 * Layer: L4, match kit. An invented body with two arms of different length, a hook and an off-centre lobe, so that
 * no rotation maps it to itself or nearly so. Each entry is a blob of some thirty residues, written as that many
 * carbon atoms at one position.
 */
#include <heddle/kits/match.h>
#include <stdlib.h>

static const struct blob {
  double x, y, z; /* angstrom */
  double weight;  /* carbon atoms */
} blobs[] = {
  { -48, -6, -4, 150 }, { -38, -3, -2, 170 }, { -28, 0, 0, 180 },   { -18, 2, 3, 190 },   { -8, 3, 5, 200 },
  { 2, 2, 4, 200 },     { 12, 0, 2, 200 },    { 22, -2, -1, 190 },  { 32, -3, -5, 180 },  { 42, -2, -10, 170 },
  { 51, 2, -15, 160 },  { 4, 13, 6, 170 },    { 5, 24, 9, 160 },    { 4, 35, 13, 150 },   { 1, 45, 19, 150 },
  { -7, 51, 26, 140 },  { -17, 50, 31, 130 }, { -30, -10, 9, 150 }, { -33, -19, 17, 150 }, { -35, -27, 26, 140 },
  { 20, -13, -9, 160 }, { 23, -23, -17, 150 }, { 31, -15, 8, 180 }, { 40, -20, 14, 160 },
};

hed_status hed_model_example(hed_model *out)
{
  const size_t n = sizeof blobs / sizeof blobs[0];
  if (!out)
    return hed_fail(HED_E_INVAL, "hed_model_example: out is NULL");
  *out = (hed_model){
    .n = n,
    .x = calloc(n, sizeof(double)), .y = calloc(n, sizeof(double)), .z = calloc(n, sizeof(double)),
    .occupancy = calloc(n, sizeof(double)), .b = calloc(n, sizeof(double)), .atomic_number = calloc(n, 1),
  };
  if (!out->x || !out->y || !out->z || !out->occupancy || !out->b || !out->atomic_number) {
    hed_model_clear(out);
    return hed_fail(HED_E_NOMEM, "hed_model_example: no memory");
  }
  for (size_t i = 0; i < n; i++) {
    out->x[i] = blobs[i].x;
    out->y[i] = blobs[i].y;
    out->z[i] = blobs[i].z;
    out->occupancy[i] = blobs[i].weight;
    out->atomic_number[i] = 6;
  }
  return HED_OK;
}
