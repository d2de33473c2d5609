// SPDX-License-Identifier: BSD-3-Clause
/* The first attempts at gammas, side by side; included by random.c, whose HOT, CHUNK and lanes it uses. L0.
 *
 * Nineteen of twenty are accepted or more. Each operation is that of gamma_above() in variates.c, which the others go to, so
 * that nobody can tell from the bits which way an element went. */

/* Standard normals from the first block of each stream. */
HOT static void gamma_normals(const lanes *restrict in, double *restrict out)
{
  for (int j = 0; j < CHUNK; j++) {
    double other;
    hed__rnormal(in->w[0][j], in->w[1][j], in->w[2][j], in->w[3][j], &out[j], &other);
  }
}

/* In two loops, of which processors have more turns under way. */
HOT static void gamma_tests(const lanes *restrict in, const double *restrict shape, const double *restrict normal,
                            double *restrict value, double *restrict next)
{
  double cube[CHUNK], size[CHUNK];
  for (int j = 0; j < CHUNK; j++) {
    const double d = shape[j] - 1.0 / 3, c = 1 / (3 * sqrt(d)), v = 1 + c * normal[j];
    size[j] = d;
    cube[j] = v <= 0 ? -1 : v * v * v;
    next[j] = (hed__high_bits(in->w[2][j], in->w[3][j]) + 0.5) * 0x1p-53;
  }
  for (int j = 0; j < CHUNK; j++) {
    const double x = normal[j], square = x * x, d = size[j], v = cube[j] > 0 ? cube[j] : 1;
    const double u = (hed__high_bits(in->w[0][j], in->w[1][j]) + 0.5) * 0x1p-53;
    const int early = u < 1 - 0.0331 * square * square, late = hed__rlog(u) < 0.5 * square + d * (1 - v + hed__rlog(v));
    value[j] = (cube[j] > 0) & (early | late) ? d * v : -1;
  }
}

void hed__gamma_attempts(const hed_random_params *p, int64_t first, const double *shape, double *value, double *next)
{
  double normal[CHUNK];
  lanes l;
  make_blocks(p, (uint64_t)first << HED__SUBSTREAM_BITS, HED__SUBSTREAM_BITS, &l);
  gamma_normals(&l, normal);
  make_blocks(p, ((uint64_t)first << HED__SUBSTREAM_BITS) + 1, HED__SUBSTREAM_BITS, &l);
  gamma_tests(&l, shape, normal, value, next);
}
