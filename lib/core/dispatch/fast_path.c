// SPDX-License-Identifier: BSD-3-Clause
/* The short way from an operation to its kernel: see hed__run_host in run.h. L2.
 *
 * What can be other than usual is asked here in one place, and left to plan and run: another thread state, a device with
 * memory of its own, an operation that it has no kernel for, somebody who traces or profiles, a fusion scope.
 */
#include "base/dtype.h"
#include "base/formulas/formulas.h"
#include "core/array/array_small.h"
#include "core/context/context.h"
#include "core/dispatch/dispatch.h"
#include "core/process/sanitized.h"
#include "core/process/tls.h"
#include "core/profile/profile.h"
#include "core/record/record.h"
#include <heddle/ops.h>

#define INLINE static inline __attribute__((always_inline))

enum { MOST_OPERANDS = 3 }; /* operands */

typedef struct way {
  hed__tls *t;
  hed__device *device;
  struct hed__account *account;
  const hed__row *row;
  int32_t threads;
} way;

/* A device stays, whatever becomes of the context. TAKEN: what of the thread's watch the caller sees to itself. PROFILED, a
 * constant: a profile is the only thing that is other than usual, and gets a record of the call. */
INLINE bool find(way *w, int op, int32_t n, const hed_array *const *in, int32_t compute, const uint8_t taken, const bool profiled)
{
  hed__tls *t = hed__self;
  const uint8_t seen = profiled ? taken | HED__WATCH_PROFILE : taken;
  const unsigned char usual = profiled ? HED__DEVICE_PROFILED : 0;
  const hed_context *c = t ? hed__context_of(t) : NULL;
  if (__builtin_expect(!c, 0) && (!(c = hed__context_slow()) || !(t = hed__tls_peek())))
    return false;
  hed__device *d = c->device;
  const hed__row *row = &d->row[op];
  if (__builtin_expect(!d->host || hed__sanitized() || t->watch & ~seen || !row->fn || !(row->dtypes >> compute & 1) ||
                       atomic_load_explicit(&d->unusual, memory_order_relaxed) & ~usual, 0)) {
    (void)hed__profiling(t); /* a profile that is over by now, of which T knows: not the next time */
    return false;
  }
  if (profiled && !hed__profiling(t))
    return false;
  for (int32_t k = 0; k < n; k++)
    if (__builtin_expect(!in[k]->storage->device->host, 0))
      return false;
  w->t = t;
  w->device = d;
  w->account = c->account;
  w->row = row;
  w->threads = hed__thread_ceiling(c);
  return true;
}

static void record(const way *w, int op, const hed_call *call, hed_status status, uint64_t start)
{
  hed__raw r = {
    .op = (uint16_t)op,
    .device = w->device->number,
    .of = w->device->number,
    .status = (int16_t)status,
    .compute = (uint8_t)call->compute,
    .counted = 1,
    .copies = hed__profile_copies(w->t),
    .t0 = start,
  };
  hed__profile_op(w->t, &r, call);
}

/* OUT, seen as OUT_VIEW. False: the kernel leaves the call to somebody else. */
INLINE bool launch_views(const way *w, int op, hed_array *out, const hed_view *out_view, int64_t flat, int32_t n,
                         const hed_view *const *view, int32_t compute, const void *params, hed_status *status, const bool profiled)
{
  const uint64_t start = profiled ? hed__profile_start_op(op) : 0;
  hed_call call = {
    .struct_size = sizeof call,
    .op = w->row->number,
    .n_in = n,
    .n_out = 1,
    .in = view,
    .out = &out_view,
    .params = params,
    .compute = compute,
    .max_threads = w->threads,
    .flat = flat,
  };
  hed__error_mark mark;
  mark.status = w->t->status;
  if (__builtin_expect(mark.status != HED_OK, 0))
    hed__error_save(&mark);
  HED__PROBE_OP_BEGIN(op, w->device);
  *status = (hed_status)w->row->fn(w->device->state, &call);
  HED__PROBE_OP_END(w->device, *status);
  if (__builtin_expect(*status != HED_OK, 0)) {
    if (*status == HED_E_NOMEM)
      *status = hed_error() == HED_E_LIMIT ? HED_E_LIMIT : HED_E_NOMEM;
    if (*status == HED_E_UNSUPPORTED) {
      hed__error_restore(&mark);
      if (profiled)
        hed__nvtx_pop();
      return false;
    }
  } else {
    out->producer = w->device->number;
  }
  hed__count(w->t, HED__COUNT_CALLS);
  if (profiled)
    record(w, op, &call, *status, start);
  return true;
}

INLINE bool launch(const way *w, int op, hed_array *out, const hed_view *out_view, int64_t flat, int32_t n,
                   const hed_array *const *in, int32_t compute, const void *params, hed_status *status, const bool profiled)
{
  const hed_view *view[MOST_OPERANDS];
  for (int32_t k = 0; k < n; k++)
    view[k] = &in[k]->view;
  return launch_views(w, op, out, out_view, flat, n, view, compute, params, status, profiled);
}

/* hed_call.flat of an elementwise operation. */
INLINE int64_t flatness(int op, const hed_array *out, int32_t n, const hed_array *const *in, int32_t compute)
{
  const int32_t first = n == MOST_OPERANDS ? hed__formula_first(op) : -1;
  bool flat = out->flat;
  for (int32_t k = 0; k < n; k++)
    flat &= in[k]->flat & (in[k]->view.dtype == (k == 0 && first >= 0 ? first : compute));
  return flat ? out->size : 0;
}

/* Where the usual way was not found a profile is looked for: without one nothing is asked. */
static bool run_profiled(int op, hed_array *out, int32_t n, const hed_array *const *in, int32_t compute, hed_status *status);
static bool make_profiled(int op, int32_t n, const hed_array *const *in, int32_t compute, int id, const hed_array *like,
                          hed_array **out);
static bool reduce_profiled(int op, const hed_array *x, int32_t type, const hed_reduce_params *params, hed_array **out);
static bool product_profiled(const hed_array *a, const hed_array *b, int32_t type, hed_array **out, hed_status *status);

/* With N a constant: the loops over operands go. */
INLINE bool run(int op, hed_array *out, int32_t n, const hed_array *const *in, int32_t compute, hed_status *status,
                const bool profiled)
{
  way w;
  const hed__storage *s = out->storage;
  if (!s->device->host || atomic_load_explicit(&s->watched, memory_order_relaxed))
    return false;
  if (!find(&w, op, n, in, compute, 0, profiled))
    return !profiled && run_profiled(op, out, n, in, compute, status);
  return launch(&w, op, out, &out->view, flatness(op, out, n, in, compute), n, in, compute, NULL, status, profiled);
}

INLINE bool make(int op, int32_t n, const hed_array *const *in, int32_t compute, int id, const hed_array *like,
                 hed_array **out, const bool profiled)
{
  way w;
  hed_status status;
  if (!find(&w, op, n, in, compute, HED__WATCH_RECORD, profiled))
    return !profiled && make_profiled(op, n, in, compute, id, like, out);
  hed_array *x = *out = hed__array_like(w.device, w.account, id, like);
  if (__builtin_expect(!x, 0))
    return true;
  if (__builtin_expect(!launch(&w, op, x, &x->view, flatness(op, x, n, in, compute), n, in, compute, NULL, &status,
                               profiled), 0)) {
    hed_release(x);
    return false;
  }
  if (__builtin_expect(status != HED_OK, 0)) {
    hed_release(x);
    *out = NULL;
  } else if (__builtin_expect(w.t->watch & HED__WATCH_RECORD, 0)) {
    hed__note_elementwise(w.t, op, n, in, x, false, NULL, 0);
  }
  return true;
}

bool hed__run_host(int op, hed_array *out, int32_t n, const hed_array *const *in, int32_t compute, hed_status *status)
{
  return n == 2 ? run(op, out, 2, in, compute, status, false) : run(op, out, 1, in, compute, status, false);
}

static __attribute__((noinline)) bool run_profiled(int op, hed_array *out, int32_t n, const hed_array *const *in, int32_t compute,
                                                   hed_status *status)
{
  return hed__is_profiled() && (n == 2 ? run(op, out, 2, in, compute, status, true) : run(op, out, 1, in, compute, status, true));
}

bool hed__make_host(int op, int32_t n, const hed_array *const *in, int32_t compute, int id, const hed_array *like,
                    hed_array **out)
{
  return n == 2   ? make(op, 2, in, compute, id, like, out, false)
         : n == 3 ? make(op, 3, in, compute, id, like, out, false)
                  : make(op, 1, in, compute, id, like, out, false);
}

static __attribute__((noinline)) bool make_profiled(int op, int32_t n, const hed_array *const *in, int32_t compute, int id,
                                                    const hed_array *like, hed_array **out)
{
  return hed__is_profiled() && (n == 2   ? make(op, 2, in, compute, id, like, out, true)
                                : n == 3 ? make(op, 3, in, compute, id, like, out, true)
                                         : make(op, 1, in, compute, id, like, out, true));
}

INLINE bool reduce(int op, const hed_array *x, int32_t type, const hed_reduce_params *params, hed_array **out, const bool profiled)
{
  static const hed_array single = { .size = 1, .view = { .ndim = 0 } };
  way w;
  hed_status status;
  if (!find(&w, op, 1, &x, type, 0, profiled))
    return !profiled && reduce_profiled(op, x, type, params, out);
  hed_array *y = *out = hed__array_like(w.device, w.account, type, &single);
  if (__builtin_expect(!y, 0))
    return true;
  hed_view view; /* as the kernel sees it: with the axes that go */
  view.data = y->view.data;
  view.dtype = type;
  view.ndim = x->view.ndim;
  for (int32_t k = 0; k < view.ndim; k++) {
    view.dim[k] = 1;
    view.stride[k] = hed__id_size(type);
  }
  const bool taken = launch(&w, op, y, &view, x->size, 1, &x, type, params, &status, profiled);
  if (__builtin_expect(!taken || status != HED_OK, 0)) {
    hed_release(y);
    *out = NULL;
  }
  return taken;
}

bool hed__reduce_host(int op, const hed_array *x, int32_t type, const hed_reduce_params *params, hed_array **out)
{
  return reduce(op, x, type, params, out, false);
}

static __attribute__((noinline)) bool reduce_profiled(int op, const hed_array *x, int32_t type, const hed_reduce_params *params,
                                                      hed_array **out)
{
  return hed__is_profiled() && reduce(op, x, type, params, out, true);
}

/* X, of AXES axes, as a matrix: V with an axis of extent 1 before the only one, or BEHIND it; X itself when it has two. */
INLINE const hed_view *as_matrix(const hed_view *x, const int axes, bool behind, hed_view *v)
{
  if (axes == 2)
    return x;
  v->data = x->data;
  v->dtype = x->dtype;
  v->ndim = 2;
  v->dim[0] = v->dim[1] = 1;
  v->stride[0] = v->stride[1] = 0;
  if (axes == 1) {
    v->dim[behind ? 0 : 1] = x->dim[0];
    v->stride[behind ? 0 : 1] = x->stride[0];
  }
  return v;
}

/* A new result of at most 2^15 rows and columns; AXES is a constant. */
INLINE hed_array *new_product(const way *w, int32_t type, int32_t axes, const int64_t *dim)
{
  const int64_t size = (axes > 0 ? dim[0] : 1) * (axes > 1 ? dim[1] : 1);
  hed_array *x = hed__array_small(w->t, w->device, w->account, (size_t)size * (size_t)hed__id_size(type));
  if (__builtin_expect(!x, 0))
    return hed__array_new(w->device, type, axes, dim);
  hed__lay_out(x, type, axes, dim, size);
  return x;
}

/* NA and NB are the axes of A and B, constants. */
INLINE bool product(const int na, const int nb, const hed_array *a, const hed_array *b, int32_t type, hed_array **out,
                    hed_status *status, const bool profiled)
{
  const hed_array *const in[2] = { a, b };
  hed_view spare[3];
  const hed_view *const view[2] = { as_matrix(&a->view, na, false, &spare[0]), as_matrix(&b->view, nb, true, &spare[1]) };
  const bool made = !*out;
  way w;
  if (!find(&w, HED_OP_MATMUL, 2, in, type, 0, profiled))
    return !profiled && product_profiled(a, b, type, out, status);
  hed_array *x = *out;
  if (made) {
    const int64_t both[2] = { view[0]->dim[0], view[1]->dim[1] };
    *status = HED_E_NOMEM;
    if (!(x = new_product(&w, type, na + nb - 2, na == 1 ? both + 1 : both)))
      return true;
  } else if (__builtin_expect(!x->storage->device->host ||
                              atomic_load_explicit(&x->storage->watched, memory_order_relaxed), 0)) {
    return false;
  }
  const hed_view *to = as_matrix(&x->view, na + nb - 2, nb == 1, &spare[2]);
  const bool taken = launch_views(&w, HED_OP_MATMUL, x, to, 0, 2, view, type, NULL, status, profiled);
  if (!made)
    return taken;
  if (__builtin_expect(taken && *status == HED_OK, 1))
    *out = x;
  else
    hed_release(x);
  return taken;
}

static __attribute__((noinline)) bool product_with_vector(const hed_array *a, const hed_array *b, int32_t type,
                                                          hed_array **out, hed_status *status)
{
  return a->view.ndim == 2   ? product(2, 1, a, b, type, out, status, false)
         : b->view.ndim == 2 ? product(1, 2, a, b, type, out, status, false)
                             : product(1, 1, a, b, type, out, status, false);
}

bool hed__product_host(const hed_array *a, const hed_array *b, int32_t type, hed_array **out, hed_status *status)
{
  return __builtin_expect(a->view.ndim == 2 && b->view.ndim == 2, 1) ? product(2, 2, a, b, type, out, status, false)
                                                                     : product_with_vector(a, b, type, out, status);
}

static __attribute__((noinline)) bool product_profiled(const hed_array *a, const hed_array *b, int32_t type, hed_array **out,
                                                       hed_status *status)
{
  return hed__is_profiled() && (a->view.ndim == 2 && b->view.ndim == 2 ? product(2, 2, a, b, type, out, status, true)
                                : a->view.ndim == 2                    ? product(2, 1, a, b, type, out, status, true)
                                : b->view.ndim == 2                    ? product(1, 2, a, b, type, out, status, true)
                                                                       : product(1, 1, a, b, type, out, status, true));
}
