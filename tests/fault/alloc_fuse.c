// SPDX-License-Identifier: BSD-3-Clause
/* Fusion with every allocation failing in turn: see fault.h. What cannot be recorded or computed is an error, and
 * nothing is left. L5. */
#include "arrays.h"
#include "fault.h"

static hed_array *a, *b;
static const char *backend; /* on which they are */

/* A thread that has not fused before. */
static result do_begin(void)
{
  hed_fuse_scope s;
  hed_thread_detach();
  hed_status begun = hed_fuse_begin(&s);
  return hed_fuse_end(&s) == HED_OK ? status(begun) : FAILED;
}

static result do_end(void)
{
  hed_fuse_scope s;
  if (hed_fuse_begin(&s) != HED_OK)
    return FAILED;
  hed_array *t = hed_multiply(a, b), *y = hed_add(t, a), *m = hed_sum(y, NULL);
  hed_release(t);
  hed_status ended = hed_fuse_end(&s);
  if (ended != HED_OK && hed_error() != ended)
    fail("end: another error stands");
  bool good = y && m && ended == HED_OK;
  if (y && !good && hed_array_is_pending(y) && hed_array_data(y))
    fail("end: what was not computed can be read");
  RELEASE(y, m);
  return good ? DONE : FAILED;
}

static result do_eval(void)
{
  hed_fuse_scope s;
  result r = FAILED;
  if (hed_fuse_begin(&s) != HED_OK)
    return FAILED;
  hed_array *t = hed_where_scalar(a, b, 1), *y = hed_exp(t), *m = hed_mean(y, NULL), *z = hed_subtract(y, m);
  if (z && hed_fuse_eval(z) == HED_OK)
    r = DONE;
  hed_array *const all[] = { t, y, m, z };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
  return hed_fuse_end(&s) == HED_OK ? r : FAILED;
}

/* What is recorded as several calls, and copies. */
static result do_parts(void)
{
  hed_fuse_scope s;
  if (hed_fuse_begin(&s) != HED_OK)
    return FAILED;
  hed_array *to = hed_empty(HED_SHAPE(300), HED_FLOAT32), *t = hed_multiply(a, b);
  hed_array *y = hed_vector_norm(t, 2, NULL), *e = hed_logsumexp(t, NULL);
  bool good = y && e && to;
  good &= good && hed_vector_norm_into(to, t, 1, &(hed_reduce){ .axes = HED_AXES(0) }) == HED_OK;
  good &= good && hed_copy_into(to, e) == HED_OK;
  const hed_status ended = hed_fuse_end(&s);
  hed_array *const all[] = { to, t, y, e };
  for (int k = 0; k < 4; k++)
    hed_release(all[k]);
  return good && ended == HED_OK ? DONE : FAILED;
}

/* A fusion that fails gives up its graph, which the thread would keep: one that is made again is not left. */
static void graph_again(void)
{
  hed_fuse_scope again;
  if (hed_fuse_begin(&again) == HED_OK)
    (void)hed_fuse_end(&again);
}

/* Recorded, fused and not, with the gradient of the gradient. */
static result record(bool fused)
{
  hed_array *g = NULL, *h = NULL;
  bool good = false;
  HED_RECORD HED_SCOPE {
    hed_fuse_scope s = { 0, false };
    if (fused && hed_fuse_begin(&s) != HED_OK)
      break;
    const hed_array *x = hed_variable(a), *t = hed_multiply(hed_sin(x), b);
    hed_array *y = hed_sum(hed_add(t, hed_reshape(hed_exp(hed_slice(x, 1, &HED_ALL)), HED_SHAPE(300, 300))), NULL);
    good = hed_fuse_end(&s) == HED_OK && y && hed_grad(y, 1, &x, &g, &(hed_grad_options){ .record = true }) == HED_OK &&
           hed_grad(hed_sum(g, NULL), 1, &x, &h, NULL) == HED_OK;
  }
  if (!good && h)
    fail("grad: a failed gradient gives a result");
  if (!good)
    graph_again();
  RELEASE(g, h);
  return good ? DONE : FAILED;
}
static result do_vjp(void)
{
  hed_array *g = NULL;
  hed_status s = HED_E_NOMEM;
  HED_RECORD HED_SCOPE {
    const hed_array *x = hed_variable(a), *c = NULL;
    hed_record_scope pause;
    if (hed_record_pause(&pause) == HED_OK)
      c = hed_exp(x);
    hed_record_end(&pause);
    const hed_array *y = c ? hed_multiply(hed_stop_gradient(hed_sin(x)), hed_multiply(x, c)) : NULL;
    s = y ? hed_vjp(1, &y, (const hed_array *const[]){ a }, 1, &x, &g, NULL) : HED_E_NOMEM;
  }
  hed_release(g);
  if (s != HED_OK)
    graph_again();
  return status(s);
}

static hed_status cube(void *arg, int n, const hed_array *const *x, int m, hed_array **y)
{
  (void)arg, (void)n, (void)m;
  *y = hed_multiply(x[0], hed_square(x[0]));
  return *y ? HED_OK : hed_error();
}
static result do_check(void)
{
  double worst;
  hed_array *x = hed_linspace(0.5, 1, 5, HED_FLOAT64);
  const hed_status s = x ? hed_check_gradient(cube, NULL, 1, (const hed_array *const[]){ x }, 0, &worst) : HED_E_NOMEM;
  hed_release(x);
  if (s != HED_OK)
    graph_again();
  return status(s);
}

static hed_status by_hand(void *state, int m, const hed_array *const *cotangent, int n, hed_array **gradient)
{
  (void)state, (void)m, (void)n;
  gradient[0] = hed_multiply_scalar(cotangent[0], 2);
  return gradient[0] ? HED_OK : hed_error();
}

/* Derivatives of functions: forwards, by hand, again, on a tape that is carried. */
static result do_functions(void)
{
  hed_array *g = NULL, *v = NULL, *ty = NULL, *made = NULL;
  hed_status s = HED_E_NOMEM;
  hed_array *small = hed_linspace(0.5, 1, 5, HED_FLOAT32);
  if (small)
    HED_RECORD HED_SCOPE {
      const hed_array *x = hed_variable(small), *twice = NULL;
      if (!x || hed_checkpoint(cube, NULL, NULL, 1, &x, 1, &made) != HED_OK)
        break;
      HED_UNRECORDED twice = hed_multiply_scalar(made, 2);
      if (!twice || hed_custom_vjp("twice", by_hand, NULL, NULL, 1, (const hed_array *const[]){ made }, 1,
                                   (hed_array *const[]){ (hed_array *)(uintptr_t)twice }) != HED_OK)
        break;
      s = hed_vjp(1, &twice, (const hed_array *const[]){ small }, 1, &x, &g, NULL);
    }
  hed_release(g);
  g = NULL;
  if (s == HED_OK)
    HED_RECORD HED_SCOPE {
      const hed_array *x = hed_variable(small), *y = x ? hed_sin(x) : NULL;
      hed_tape *tape = hed_record_take();
      s = tape && y ? hed_record_give(tape) : HED_E_NOMEM;
      if (s != HED_OK)
        hed_tape_release(tape);
      else
        s = hed_jvp(1, &y, 1, &x, (const hed_array *const[]){ small }, &ty);
    }
  hed_array *one = s == HED_OK ? hed_linspace(2, 2, 1, HED_FLOAT32) : NULL;
  if (s == HED_OK)
    s = one ? hed_value_and_grad(cube, NULL, 1, (const hed_array *const[]){ one }, &v, &g) : HED_E_NOMEM;
  RELEASE(one, v, g, ty, small);
  if (s != HED_OK)
    graph_again();
  return status(s);
}

static result do_grad(void) { return record(false); }
static result do_grad_fused(void) { return record(true); }

/* A thread that has not recorded before. */
static result do_record(void)
{
  hed_record_scope s;
  hed_thread_detach();
  const hed_status begun = hed_record_begin(&s);
  hed_record_end(&s);
  return status(begun);
}

static result do_fuses(void) { return hed_backend_fuses(backend) >= 0 ? DONE : FAILED; }

static const entry entries[] = {
  { "fuse_begin", do_begin }, { "fuse_end", do_end },
  { "record_begin", do_record }, { "vjp", do_vjp }, { "check_gradient", do_check },
  { "grad", do_grad }, { "grad_fused", do_grad_fused }, { "functions", do_functions },
  { "fuse_eval", do_eval }, { "fuse_parts", do_parts },
  { "backend_fuses", do_fuses },
};

int main(void)
{
  static const char *const backends[] = { "reference", "cpu" };
  for (int k = 0; k < 2; k++) {
    backend = backends[k];
    if (!fault_on(backend))
      continue;
    a = hed_ones(HED_SHAPE(300, 300), HED_FLOAT32);
    b = hed_ones(HED_SHAPE(300, 1), HED_FLOAT32);
    if (!a || !b)
      bail("setting up: %s", hed_error_text());
    for (size_t i = 0; i < sizeof entries / sizeof entries[0]; i++)
      storm(&entries[i]);
    RELEASE(a, b);
  }
  return done();
}
