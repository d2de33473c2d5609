// SPDX-License-Identifier: BSD-3-Clause
/* Operations of lanes/lanes.h on integers against loops over lanes; a body of lanes_level.c. */
static int N(lanes_wrong)(int op)
{
  T a[LANES + 1], b[LANES + 1], got[LANES];
  uint64_t state = 1;
  int bad = 0;
  for (int round = 0; round < 400; round++) {
    for (int k = 0; k <= LANES; k++) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      a[k] = (T)(state >> (round % 2 ? 13 : 60));
      b[k] = (T)~(state >> (round % 2 ? 5 : 59));
    }
    const V u = N(get)(a + 1), v = N(get)(b + 1);
    N(put)(got, op == 0 ? u : op == 1 ? N(each)(a[0]) : N(pick)(op == 2, v, u));
    for (int k = 0; k < LANES; k++) {
      const T x = a[k + 1], y = b[k + 1];
      bad += got[k] != (op == 0 ? x : op == 1 ? a[0] : op == 2 ? (y > x ? y : x) : y < x ? y : x);
    }
  }
  return bad;
}
