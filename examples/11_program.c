// SPDX-License-Identifier: BSD-3-Clause
/* Pendulums swing, each from another angle: one step is made a program, which then runs thousands of times.
 *
 *   ./11_program [SPEC]
 */
#include <heddle.h>
#include <stdio.h>

enum { PENDULUMS = 8, STEPS = 10000 };

/* Angles X[0] and velocities X[1] after the time X[2], by the leapfrog rule. */
static hed_status step(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  HED_SCOPE_OR(return hed_error()) {
    const hed_array *v = hed_subtract(x[1], hed_multiply_scalar(hed_multiply(x[2], hed_sin(x[0])), 0.5));
    y[0] = hed_keep(hed_add(x[0], hed_multiply(x[2], v)));
    y[1] = y[0] ? hed_keep(hed_subtract(v, hed_multiply_scalar(hed_multiply(x[2], hed_sin(y[0])), 0.5))) : NULL;
  }
  return y[1] ? HED_OK : hed_error();
}

/* v^2 / 2 - cos a of each, which stays. */
static hed_array *energy(hed_array *const *state)
{
  return hed_subtract(hed_multiply_scalar(hed_square(state[1]), 0.5), hed_cos(state[0]));
}

int main(int argc, char **argv)
{
  hed_status status = HED_OK;
  double drift = 0;
  HED_BACKEND_CONTEXT_OR(argc > 1 ? argv[1] : "cpu", goto failed) HED_SCOPE {
    hed_array *state[2] = { hed_linspace(0.25, 2, PENDULUMS, HED_FLOAT64), hed_zeros(HED_SHAPE(PENDULUMS), HED_FLOAT64) };
    const hed_array *before = energy(state), *dt = hed_scalar(0.01);
    hed_program *p = NULL;
    status = hed_program_create(step, NULL, 3, (const hed_array *[]){ state[0], state[1], dt }, 2, NULL,
                                &(hed_program_options){ .name = "step" }, &p);
    if (status == HED_OK)
      status = hed_program_print(p, stdout);
    for (int k = 0; k < STEPS && status == HED_OK; k++) {
      hed_array *next[2];
      status = hed_program_run(p, 3, (const hed_array *[]){ state[0], state[1], dt }, 2, next);
      for (int j = 0; j < 2 && status == HED_OK; j++) {
        hed_release(state[j]);
        state[j] = next[j];
      }
    }
    hed_program_release(p);
    if (status == HED_OK)
      status = hed_item(hed_max(hed_abs(hed_subtract(energy(state), before)), NULL), &drift);
    if (status == HED_OK)
      printf("%d steps: energies have changed by %.1e at most\n", STEPS, drift);
  }
  if (status == HED_OK)
    return 0;
failed:
  fprintf(stderr, "%s\n", hed_error_text());
  return 1;
}
