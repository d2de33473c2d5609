// SPDX-License-Identifier: BSD-3-Clause
/* Fusion with every allocation failing in turn: see fault.h. What cannot be recorded or computed is an error, and
 * nothing is left. L5. */
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
  hed_release(y);
  hed_release(m);
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

static result do_fuses(void) { return hed_backend_fuses(backend) >= 0 ? DONE : FAILED; }

static const entry entries[] = {
  { "fuse_begin", do_begin }, { "fuse_end", do_end },
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
      storm(&entries[i], NULL);
    hed_release(a);
    hed_release(b);
  }
  return done();
}
