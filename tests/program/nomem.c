// SPDX-License-Identifier: BSD-3-Clause
/* Programs made and run with every allocation failing in turn: see fault.h. The error is HED_E_NOMEM, no program and no result is
 * there with it, and the inputs are as they were. L5. */
#include "arrays.h"
#include "fault.h"

#define FUNCTION(name) static hed_status name(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
#define UNUSED (void)arg, (void)n, (void)m, (void)x, (void)y

enum { N = 12 };
static hed_array *in[2], *turned[2], *weights, *state;

/* All kinds of calls: formulas with numbers, reductions, lists and options, views, draws, a fusion scope. */
FUNCTION(all)
{
  UNUSED;
  HED_SCOPE {
    hed_array *a = hed_multiply_scalar(hed_multiply(hed_add(x[0], x[1]), weights), 2.5);
    a = hed_cumsum(hed_reshape(a, HED_SHAPE(3, 4)), &(hed_scan){ .axis = HED_AXES(1) });
    hed_array *b = hed_concat(2, (const hed_array *[]){ a, HED_GET(a, HED_SLICE(0, 2, 1)) }, 0), *c = NULL;
    HED_FUSED { c = hed_multiply(hed_exp(hed_negative(b)), b); }
    c = hed_matmul(hed_transpose(c, NULL), b);
    hed_array *d = hed_random_normal(HED_SHAPE(N), HED_FLOAT64, NULL);
    y[0] = hed_keep(hed_sum(c, &(hed_reduce){ .axes = HED_AXES(0) }));
    y[1] = y[0] ? hed_keep(hed_subtract(d, x[0])) : NULL;
  }
  return y[0] && y[1] ? HED_OK : hed_error();
}

/* Kernels alone, with results in the block; one result twice. */
FUNCTION(kernels)
{
  UNUSED;
  HED_SCOPE { y[0] = hed_keep(hed_sum(hed_sqrt(hed_square(hed_subtract(x[0], x[1]))), NULL)); }
  y[1] = y[0] ? hed_retain(y[0]) : NULL;
  return y[1] ? HED_OK : hed_error();
}

/* An array that is no input is written; an input is a result. */
FUNCTION(writes)
{
  UNUSED;
  if (hed_maximum_into(state, state, x[0]) != HED_OK || !(y[0] = hed_copy(state)))
    return hed_error();
  y[1] = hed_retain((hed_array *)(uintptr_t)x[1]);
  return HED_OK;
}

static bool intact(void)
{
  for (int j = 0; j < 2; j++)
    for (int k = 0; k < N; k++)
      if (((const double *)hed_array_data(in[j]))[k] != j + k)
        return false;
  return true;
}

/* What a call that failed says, and has given. */
static result failed(const char *call, const void *given, hed_array **y)
{
  if (hed_error() != HED_E_NOMEM)
    fail("%s: memory is out, said is: %s", call, hed_error_text());
  if (given || y[0] || y[1] || !intact())
    fail("%s: something is given with an error, or an input has changed", call);
  return FAILED;
}

static result program(hed_function f, bool check, hed_array *const *x)
{
  hed_array *y[2] = { NULL };
  hed_program *p = NULL;
  if (hed_program_create(f, NULL, 2, (const hed_array *const *)in, 2, y, &(hed_program_options){ .check = check }, &p) != HED_OK)
    return failed("program_create", p, y);
  result r = DONE;
  HED_SCOPE_OR(r = FAILED) {
    for (int turn = 0; turn < 2 && r == DONE; turn++) {
      hed_array *z[2] = { NULL };
      if (hed_program_run(p, 2, (const hed_array *const *)x, 2, z) != HED_OK)
        r = failed("program_run", NULL, z);
      hed_array *const w[2] = { r == DONE ? hed_zeros_like(z[0]) : NULL, r == DONE ? hed_zeros_like(z[1]) : NULL };
      if (r == DONE && (!w[0] || !w[1] || hed_program_run_into(p, 2, (const hed_array *const *)x, 2, w) != HED_OK))
        r = failed("program_run_into", NULL, (hed_array *[2]){ NULL });
    }
  }
  RELEASE(y[0], y[1]);
  hed_program_release(p);
  return r;
}

static result do_all(void) { return program(all, false, in); }
static result do_all_checked(void) { return program(all, true, in); }
static result do_all_turned(void) { return program(all, false, turned); }
static result do_kernels(void) { return program(kernels, false, in); }
static result do_kernels_checked(void) { return program(kernels, true, in); }
static result do_kernels_turned(void) { return program(kernels, false, turned); }
static result do_writes(void) { return program(writes, false, in); }

static const entry entries[] = {
#define E(f) { #f, do_##f }
  E(all), E(all_checked), E(all_turned), E(kernels), E(kernels_checked), E(kernels_turned), E(writes),
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  for (int k = 0; k < 2; k++) {
    if (!fault_on(backends[k]))
      continue;
    for (int j = 0; j < 2; j++) {
      in[j] = hed_arange(j, j + N, 1, HED_FLOAT64);
      turned[j] = in[j] ? hed_flip(in[j], NULL) : NULL;
    }
    weights = hed_ones(HED_SHAPE(N), HED_FLOAT64);
    state = hed_zeros(HED_SHAPE(N), HED_FLOAT64);
    if (!turned[0] || !turned[1] || !weights || !state)
      bail("setting up: %s", hed_error_text());
    for (size_t i = 0; i < sizeof entries / sizeof *entries; i++)
      storm(&entries[i]);
    for (int j = 0; j < 2; j++) {
      RELEASE(in[j], turned[j]);
    }
    RELEASE(weights, state);
  }
  return done();
}
