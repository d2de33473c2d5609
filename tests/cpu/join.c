// SPDX-License-Identifier: BSD-3-Clause
/* concatenate of the reference backend and of the cpu module at each of its levels, against elements taken one by one:
 * numbers of arrays, rows round the widths of vectors, layouts, mixed dtypes, threads, and results past the caches.
 */
#include "backends/reference/kernels.h"
#include "rows.h"
#include <sys/wait.h>
#include <unistd.h>

static gen g;

static int32_t run(hed_op_fn fn, void *state, const hed_view *out, const operand *x, int n, int32_t axis)
{
  const hed_concatenate_params p = { .axis = axis };
  const hed_view *list[HED_MAX_NDIM];
  for (int k = 0; k < n; k++)
    list[k] = &x[k].v;
  const hed_call call = { .struct_size = sizeof call, .op = HED_OP_CONCATENATE, .n_in = n, .n_out = 1, .in = list,
                          .out = &out, .params = &p, .compute = hed__compute_of(out->dtype),
                          .max_threads = (int32_t)gen_int(&g, 1, 2) };
  return fn(state, &call);
}

/* Elements of OUT that are not those of X; elements of equal types are compared by their bytes. */
static int64_t wrong_elements(const hed_view *out, const operand *x, int n, int32_t axis)
{
  int64_t wrong = 0, start = 0;
  for (int k = 0; k < n; k++) {
    hed_view part = *out;
    part.dim[axis] = x[k].v.dim[axis];
    part.data = (char *)part.data + start * part.stride[axis];
    start += part.dim[axis];
    for (int64_t i = 0; i < hed__view_size(&part); i++) {
      char want[16];
      hed__cast(x[k].v.dtype, out->dtype)(1, want, 16, element_at(&x[k].v, i), 0);
      wrong += memcmp(want, element_at(&part, i), (size_t)hed__id_size(out->dtype)) != 0;
    }
  }
  return wrong;
}

/* N arrays of shape DIM but for AXIS, where their extents are EXTENT; TIDY: all contiguous and of one dtype. */
static bool joined(hed_op_fn fn, void *state, int type, int ndim, const int64_t *dim, int n, int32_t axis,
                   const int64_t *extent, bool tidy)
{
  operand x[HED_MAX_NDIM], out;
  int64_t shape[4], total = 0;
  memcpy(shape, dim, (size_t)ndim * sizeof *dim);
  for (int k = 0; k < n; k++) {
    const int own = tidy || gen_chance(&g, 80) ? type : (int)gen_below(&g, HED_ID_CONCRETE_COUNT_);
    shape[axis] = extent[k];
    total += extent[k];
    x[k] = operand_new(&g, own, ndim, shape, tidy || gen_chance(&g, 50));
    operand_fill(&g, &x[k], false, -9, 9);
    if (!tidy && gen_chance(&g, 10) && ndim > 1) /* one row that is seen as all rows */
      x[k].v.stride[axis ? 0 : 1] = 0;
  }
  shape[axis] = total;
  out = operand_new(&g, type, ndim, shape, tidy || gen_chance(&g, 70));
  const bool good = run(fn, state, &out.v, x, n, axis) == HED_OK && wrong_elements(&out.v, x, n, axis) == 0;
  if (!good)
    diag("%d arrays of %s, first of %lld of %lld along axis %d of %d", n, hed__dtypes[type]->name, (long long)extent[0],
         (long long)total, (int)axis, ndim);
  for (int k = 0; k < n; k++)
    operand_free(&x[k]);
  operand_free(&out);
  return good;
}

/* How many joints of any kind are wrong. */
static int random_joins(hed_op_fn fn, void *state)
{
  int bad = 0;
  for (int round = 0; round < scaled(600); round++) {
    const int ndim = (int)gen_int(&g, 1, 4), n = (int)gen_int(&g, 1, gen_chance(&g, 10) ? HED_MAX_NDIM : 5);
    const int32_t axis = (int32_t)gen_below(&g, (uint64_t)ndim);
    int64_t dim[4], extent[HED_MAX_NDIM];
    for (int k = 0; k < ndim; k++)
      dim[k] = gen_int(&g, 1, k == 0 && ndim < 4 ? 70 : 9);
    const bool alike = gen_chance(&g, 50);
    for (int k = 0; k < n; k++)
      extent[k] = alike && k ? extent[0] : gen_chance(&g, 30) ? 1 : gen_int(&g, gen_chance(&g, 20) ? 0 : 1, 40);
    bad += !joined(fn, state, round % HED_ID_CONCRETE_COUNT_, ndim, dim, n, axis, extent, gen_chance(&g, 60));
  }
  for (int type = 0; type < HED_ID_CONCRETE_COUNT_; type++) /* single elements in turn */
    for (int n = 2; n <= 5; n++)
      for (int trial = 0; trial < 6; trial++)
        bad += !joined(fn, state, type, 2, (const int64_t[]){ gen_int(&g, 1, trial ? 150 : 9000), 1 }, n, 1,
                       (const int64_t[]){ 1, 1, 1, 1, 1 }, true);
  return bad;
}

/* More than the largest share of a cache that is left alone: elements in turn, rows of whole lines, rows of odd lengths,
 * some elements, long rows that begin anywhere. */
static int large_joins(hed_op_fn fn)
{
  static const struct { int64_t rows, extent[2]; } of[] = {
    { 4500000, { 1, 1 } }, { 1100, { 4096, 4112 } }, { 9001, { 500, 509 } }, { 1300001, { 4, 3 } }, { 900, { 5001, 5010 } },
  };
  int bad = 0;
  for (size_t k = 0; k < sizeof of / sizeof *of; k++)
    bad += !joined(fn, NULL, HED_ID_FLOAT32, 2, (const int64_t[]){ of[k].rows, 1 }, 2, 1, of[k].extent, true);
  return bad;
}

/* One level per process: it is chosen when the module is loaded. */
static void child(const char *level, const char *shown, bool large)
{
  const char *why;
  char text[256] = "";
  setenv("HEDDLE_CPU_LEVEL", level, 1);
  const hed_plugin *cpu = mock_load(NULL, &why);
  if (!cpu)
    _exit(2);
  cpu->describe(NULL, text, sizeof text);
  if (strncmp(text, shown, strlen(shown)) != 0)
    _exit(2);
  const hed_op_fn fn = row_of(cpu, "concatenate")->fn;
  _exit(random_joins(fn, NULL) + (large ? large_joins(fn) : 0) > 0 || atomic_load(&mock_permits) != 2);
}

int main(void)
{
  static const char *const levels[] = { "base", "avx2", "avx512" };
  static const char *const shown[] = { "x86-64 baseline", "AVX2", "AVX-512" };
  gen_seed(&g, tap_seed());
  is_int(random_joins(ref_concatenate, (void *)(uintptr_t)&mock_host), 0, "reference");
  for (int k = 0; k < 3; k++) {
    int status = 0;
    const pid_t p = fork();
    if (p == 0)
      child(levels[k], shown[k], k == 1);
    if (p < 0 || waitpid(p, &status, 0) != p)
      fail("no child process");
    else if (WIFEXITED(status) && WEXITSTATUS(status) == 2)
      skip(1, "no cpu module of level %s here", levels[k]);
    else
      ok(WIFEXITED(status) && WEXITSTATUS(status) == 0, "cpu, %s", levels[k]);
  }
  done_testing();
  return done();
}
