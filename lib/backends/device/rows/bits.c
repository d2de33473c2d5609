// SPDX-License-Identifier: BSD-3-Clause
/* Words of packed bits, and unitary factors of small matrices: a kernel each, of dense operands. L1. */
#include "backends/device/rows/rows.h"
#include "backends/device/kernels/args_bits.h"
#include "base/dtype.h"

/* Rows of V, its last axis. */
static int64_t rows_of(const hed_view *v)
{
  int64_t n = 1;
  for (int32_t k = 0; k < v->ndim - 1; k++)
    n *= v->dim[k];
  return n;
}

static int64_t last_of(const hed_view *v) { return v->dim[v->ndim - 1]; }

static int32_t run(dev_device *d, const hed_call *c, int32_t dtype, const char *name, int64_t items, int32_t operands,
                   hed__bits_args args)
{
  const dev_spec spec = dev_spec_of("bits", dtype);
  dev_dense_job j = { .items = items, .operands = operands, .args = &args, .args_bytes = sizeof args };
  return dev_dense_call(d, &j, c, &spec, name);
}

int32_t dev_pack_bits_call(void *state, const hed_call *c)
{
  const hed_view *x = c->in[0];
  return run(state, c, x->dtype, "pack_bits", hed__view_size(c->out[0]), 1,
             (hed__bits_args){ .rows = rows_of(x), .n = last_of(x), .words = last_of(c->out[0]) });
}

int32_t dev_unpack_bits_call(void *state, const hed_call *c)
{
  const hed_view *x = c->in[0];
  return run(state, c, HED_ID_UINT64, "unpack_bits", hed__view_size(c->out[0]), 1,
             (hed__bits_args){ .rows = rows_of(x), .n = last_of(c->out[0]), .words = last_of(x) });
}

int32_t dev_hamming_matrix_call(void *state, const hed_call *c)
{
  return run(state, c, HED_ID_UINT64, "hamming_matrix", hed__view_size(c->out[0]), 2,
             (hed__bits_args){ .rows = c->in[0]->dim[0], .words = last_of(c->in[0]), .others = c->in[1]->dim[0] });
}

int32_t dev_majority_bits_call(void *state, const hed_call *c)
{
  const hed_view *x = c->in[0], *out = c->out[0];
  const int64_t n = x->dim[x->ndim - 2];
  if (n > UINT32_MAX)
    return HED_E_UNSUPPORTED;
  return run(state, c, HED_ID_UINT64, "majority_bits", 2 * hed__view_size(out), 2,
             (hed__bits_args){ .rows = rows_of(out), .n = n, .words = last_of(x), .ties = c->n_in > 1 });
}

int32_t dev_weighted_majority_bits_call(void *state, const hed_call *c)
{
  const hed_view *x = c->in[0], *out = c->out[0];
  return run(state, c, HED_ID_UINT64, "weighted_majority_bits", 2 * hed__view_size(out), 3,
             (hed__bits_args){ .rows = rows_of(out), .n = x->dim[0], .words = last_of(x), .ties = c->n_in > 2 });
}

int32_t dev_polar_unitary_call(void *state, const hed_call *c)
{
  dev_device *d = state;
  const hed_view *x = c->in[0];
  const dev_spec spec = dev_spec_of("polar", x->dtype);
  const int64_t m = last_of(x);
  if (!d->limits.float64 || m < 1 || x->dtype != c->out[0]->dtype)
    return HED_E_UNSUPPORTED;
  const hed__polar_args args = { .count = hed__view_size(x) / (m * m), .m = m };
  dev_dense_job j = { .items = args.count, .operands = 1, .checks = true, .axis = x->ndim - 2, .args = &args,
                      .args_bytes = sizeof args };
  return dev_dense_call(d, &j, c, &spec, "polar_unitary");
}
