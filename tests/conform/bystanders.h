// SPDX-License-Identifier: BSD-3-Clause
/* Of failing.c: what one chain makes of arrays that failed and of others. */

/* Does Y, three elements or more, begin with these? */
static bool begins(const hed_array *y, float a, float b, float c)
{
  float v[8] = { 0 };
  return y && hed_array_nbytes(y) <= sizeof v && hed_to_host(y, v, hed_array_nbytes(y)) == HED_OK && v[0] == a && v[1] == b &&
         v[2] == c;
}

/* Results of one chain, of one pass and of several, fail where they depend on what failed, and nowhere else. */
static void test_bystanders(const char *backend)
{
  enum { TURNS = 8 };
  int told = 0, right = 0;
  for (int turn = 0; turn < TURNS; turn++)
    HED_BACKEND_CONTEXT(spec) HED_SCOPE {
      const bool known_before = turn & 1, first = turn & 2, eval = turn & 4;
      hed_array *x = hed_arange(0, 3, 1, HED_FLOAT32), *y[4] = { NULL }, *z[3] = { NULL };
      if (faulty)
        control(known_before ? "hold=0" : "hold=1");
      else if (!known_before && !hed_matmul(busy, busy))
        diag("%s: %s", backend, hed_error_text());
      hed_array *good = taken(x, 0), *bad = failed(x, 0);
      if (known_before)
        (void)hed_wait(bad);
      HED_FUSED {
        z[0] = first ? NULL : hed_add_scalar(good, 1);
        y[0] = hed_add_scalar(bad, 1);
        y[1] = hed_add(good, bad);
        y[2] = hed_multiply(y[0], good);
        y[3] = hed_sum(y[2], NULL);
        z[0] = first ? hed_add_scalar(good, 1) : z[0];
        z[1] = hed_multiply(z[0], z[0]);
        z[2] = hed_add_scalar(hed_ones(HED_SHAPE(8), HED_FLOAT32), 1);
        if (eval && hed_fuse_eval(z[1]) != HED_OK)
          diag("%s, turn %d: %s", backend, turn, hed_error_text());
      }
      if (faulty)
        control("hold=0");
      for (int k = 0; k < 4; k++) {
        const bool yes = y[k] && hed_wait(y[k]) == HED_E_ASYNC && tells(hed_error_text(), 1);
        told += yes;
        if (!yes)
          diag("turn %d, result %d: %s", turn, k, hed_error_text());
        hed_error_clear();
      }
      const bool yes[3] = { begins(z[0], 1, 2, 3), begins(z[1], 1, 4, 9), begins(z[2], 2, 2, 2) };
      for (int k = 0; k < 3; k++) {
        right += yes[k];
        if (!yes[k])
          diag("turn %d, other result %d: %s", turn, k, hed_error_text());
      }
    }
  hed_error_clear();
  is_int(told, 4 * TURNS, "%s: what a chain makes of a failure tells of it", backend);
  is_int(right, 3 * TURNS, "%s: and what it makes of other arrays is right", backend);
}
