// SPDX-License-Identifier: BSD-3-Clause
/* A step of a recording as its rule sees it, and what rules share. L3.
 *
 * Rules run in a scope: what they make and do not hand over is released. They are made of public operations, which check their
 * operands, so that NULL goes through to the result.
 */
#ifndef HED_GRAD_BACK_H
#define HED_GRAD_BACK_H

#include "core/record/record.h"
#include <heddle/grad.h>
#include <heddle/ops.h>

typedef struct hed__back {
  const hed__step *step;
  int32_t n_in, n_out;
  const hed_array **in, **out; /* values of what was saved, else NULL */
  const hed_array **g;         /* cotangents of the results, of their shapes but for those of elementwise steps; NULL: none */
  const hed__entry **of;       /* operands that are followed; NULL: constants */
  const hed__entry **made;     /* results that are followed; NULL: others */
  bool *wanted;                /* operands whose cotangents are asked for */
  hed_array **d;               /* these cotangents; NULL: none, as is hed__nothing */
} hed__back;

typedef hed_status hed__back_fn(hed__back *b);

/* The cotangent that is 0. */
extern hed_array hed__nothing;

/* The cotangents by the rule of B's operation; those not wanted are left out. HED_E_GRADIENT without one. */
hed_status hed__back_run(hed__back *b);

/* By a function of the caller's. */
hed_status hed__custom_back(hed__back *b);

/* G times the conjugate of D, G divided by it; 0 where G is 0. */
hed_array *hed__times(const hed_array *g, const hed_array *d);
hed_array *hed__over(const hed_array *g, const hed_array *d);

static inline hed_shape hed__entry_shape(const hed__entry *e)
{
  hed_shape s = { .ndim = e->ndim };
  for (int32_t k = 0; k < e->ndim; k++)
    s.dim[k] = e->dim[k];
  return s;
}

static inline bool hed__is_complex(const hed__entry *e) { return hed__id_kind(e->dtype) == HED_KIND_COMPLEX; }

/* D's conjugate and adjoint; D itself where it is real. */
hed_array *hed__conj_of(const hed_array *d);
hed_array *hed__adjoint(const hed_array *d);

/* An array of a step's is made: HED_OK, or the error. */
static inline hed_status hed__made(const hed_array *x) { return x ? HED_OK : hed_error(); }

/* G, of E's shape or one that broadcasts to it, as that or a view of the whole; D summed over the axes along which E is
 * broadcast. */
hed_array *hed__whole(const hed_array *g, const hed__entry *e);
hed_array *hed__sum_to(hed_array *d, const hed__entry *e);

/* D, summed over the batch that was broadcast, is the cotangent of operand K. */
hed_status hed__give(hed__back *b, int32_t k, hed_array *d);

/* Zeros of E's shape and dtype; G put into them at the places that KEYS select, where what is selected several times adds up, or
 * at INDICES along AXIS. */
hed_array *hed__zeros_of(const hed__entry *e);
hed_array *hed__put(const hed__entry *e, int n, const hed_key *keys, const hed_array *g);
hed_array *hed__put_along(const hed__entry *e, const hed_array *indices, int32_t axis, const hed_array *g);

/* N in a row, from 0 on, along AXIS of NDIM; the others have extent 1. */
hed_array *hed__places(int64_t n, int32_t ndim, int32_t axis);

/* Elements FROM to TO of X along AXIS, at STEP. */
hed_array *hed__stretch(const hed_array *x, int32_t axis, int64_t from, int64_t to, int64_t step);

/* G in E's shape: cut at the ends of axes, or continued with zeros. */
hed_array *hed__fit_ends(const hed_array *g, const hed__entry *e);

#define HED_RULE(ID, saves, function) hed__back_fn function;
#define HED_RULE_AB(ID, saves_a, saves_b, function) hed__back_fn function;
#include "core/record/rules.def"

/* The gradients of M arrays Y, with COTANGENT, by N arrays X. NAME begins sentences. */
hed_status hed__sweep(const char *name, int m, const hed_array *const *y, const hed_array *const *cotangent, int n,
                      const hed_array *const *x, hed_array **g, const hed_grad_options *opt);

#endif
