// SPDX-License-Identifier: BSD-3-Clause
/* What alternating CP methods have in common: the tensor, its gaps, factors with their Gram matrices, sweeps.
 *
 * Layer: L4, tensor kit. Reading order: this file, als.c (starts, sweeps, errors), als_data.c (the tensor and its gaps), als_start.c,
 * als_update.c (least squares), als_accel.c (steps beyond sweeps), nn.c and admm.c (other updates).
 */
#ifndef HEDDLE_KITS_TENSOR_ALS_H
#define HEDDLE_KITS_TENSOR_ALS_H
#include "kits/tensor/sweeps.h"
#include "kits/tensor/tree.h"
#include <heddle/kits/decompose.h>
#include <heddle/kits/tensor_sparse.h>

typedef struct hed__als hed__als;

/* A way to a better factor. M (I, R): the unfolding times the Khatri-Rao product of the other, conjugated factors; G (R, R), in the
 * wide type: the elementwise product of the others' Gram matrices. The new factor, in X's type, of the scope. */
typedef struct hed__cp_method {
  bool nonnegative;  /* all starts are, but of the modes that are exempt  */
  bool revives;      /* a component without entries may begin again */
  bool rescales;     /* a factor does not depend on the scale of the others: columns may get norm 1 */
  hed_array *(*update)(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g);
  hed_status (*begin)(hed__als *a, void *arg); /* before the sweeps of a start; NULL: nothing */
} hed__cp_method;

/* What a method says of modes of this run. */
typedef struct hed__cp_modes {
  uint32_t fixed_size; /* their factors may not be multiplied by a number; all: penalties are in the data's unit */
  uint32_t positive;   /* starts have no negative entries there, besides those that the options list             */
} hed__cp_modes;

struct hed__als {
  const char *op;
  const hed_cp_options *opt;
  const hed__cp_method *method;
  void *arg;
  int order;
  hed_shape shape;
  int64_t rank;
  hed_dtype type;
  double epsilon;
  uint32_t fixed, nonnegative;
  hed__cp_modes modes;
  int exponent;           /* x is the data over 2^exponent */
  int power[HED_MAX_NDIM]; /* and the result's factors are these times 2^power; powers add up to the exponent */
  int last;               /* the last mode that is not fixed; -1: all are          */
  hed_coo scaled;         /* the data's over 2^exponent    */
  const hed_coo *coo;     /* not NULL: a tensor of few entries; there is no x, no mask and no work then */
  hed_array *x;           /* in C order; 0 where an entry is missing               */
  hed_array *mask;        /* bool, NULL: nothing is missing                        */
  hed_array *work;        /* what is decomposed: x with gaps filled, or less S; x itself (no reference) where there is none */
  hed_array *sparse;      /* S, or NULL                                            */
  double squares;         /* of observed entries                                   */
  double mean;            /* of them, for first guesses: real and imaginary part   */
  double mean_imaginary;
  bool weighted;          /* normal equations row by row                           */
  int64_t sparse_entries;
  hed__tree tree;         /* of work                                               */
  hed_array *factor[HED_MAX_NDIM], *gram[HED_MAX_NDIM];
  double inner, fitted;   /* Re <x, fit> and |fit|^2, from the last mode's update  */
};

/* als_data.c */
/* The factors as a tensor that owns nothing. */
hed_cp hed__als_model(const hed__als *a);
/* SLOT := X, which may be NULL after an error, kept; what was there is released. */
hed_status hed__put(hed_array **slot, hed_array *x);
hed_status hed__als_open(hed__als *a, const hed_array *x, int64_t rank);
hed_status hed__als_open_sparse(hed__als *a, const hed_coo *x, int64_t rank);
/* As hed__tree_sweep() of the tensor that is decomposed. */
hed_status hed__als_visit(const hed__als *a, hed_array *const *factors, uint32_t wanted, hed__tree_visit visit, void *arg);
void hed__als_close(hed__als *a);
/* The error of C, of the model's shape: over observed entries, less S. FILL: gaps of work become what C says. */
hed_status hed__als_error(hed__als *a, const hed_cp *c, bool fill, double *error);
/* S from the residuals of the factors, and work. */
hed_status hed__als_split(hed__als *a);
/* Gaps of work as at the beginning: the mean, or what START says. */
hed_status hed__als_first_guess(hed__als *a, const hed_cp *start);

/* The elementwise product of all Gram matrices but that of mode SKIP (-1: of all). */
hed_array *hed__grams_but(hed_array *const *gram, int order, int skip);
/* The real part of the sum of X, which may be NULL after an error. */
hed_status hed__real_sum(const hed_array *x, double *out);

/* als_start.c: factors of start number K. */
hed_status hed__als_start(hed__als *a, int64_t k, const hed_generator *random);
hed_status hed__als_set_factor(hed__als *a, int mode, hed_array *x);
/* Columns anew, by RANDOM, for components that are 0. REVIVED: there were some. */
hed_status hed__als_revive(hed__als *a, hed_generator *random, bool *revived);

/* als_update.c */
hed_array *hed__update_least_squares(hed__als *a, void *arg, int mode, const hed_array *m, const hed_array *g);
/* A row by row over observed entries: factor MODE. */
hed_status hed__update_weighted(hed__als *a, int mode);
/* a g = m for a (I, R), by Cholesky factors or the minimum norm; in the type of M. EPSILON is M's precision. */
hed_array *hed__solve_gram(const hed_array *g, const hed_array *m, double epsilon);
/* The factor A (I, R) after INNER passes of coordinate descent over non-negative entries towards the least of
 * |x - a kr|^2 + l1 sum(a) + ridge |a|^2. */
hed_array *hed__hals(const hed_array *a, const hed_array *m, const hed_array *g, int inner, double l1, double ridge);

/* als_accel.c: what is remembered of a start for steps beyond its sweeps; all zero at first. */
enum { HED__STEP_DEPTH = 3 };
typedef struct hed__factors { hed_array *of[HED_MAX_NDIM]; } hed__factors;
typedef struct hed__step {
  hed__factors before;                    /* the last sweep */
  hed__factors after[HED__STEP_DEPTH];    /* earlier sweeps, the latest first: what came out */
  hed__factors change[HED__STEP_DEPTH];   /* and that less what went in */
  int failures, power, depth;
  int64_t since;
} hed__step;
void hed__step_clear(hed__step *s);
/* After sweep NUMBER: other factors where they lower *ERROR. */
hed_status hed__als_accelerate(hed__als *a, hed__step *s, int64_t number, double *error);

/* The model of A as a result, in the data's unit. */
hed_status hed__als_take_out(const hed__als *a, hed_cp *out);

/* als.c; X or COO is the tensor */
hed_status hed__cp_run(const char *op, const hed__cp_method *method, void *arg, const hed_array *x, int64_t rank,
                       const hed_cp_options *opt, hed__cp_modes modes, hed_cp *out, hed_fit *fit);
hed_status hed__cp_run_sparse(const char *op, const hed__cp_method *method, void *arg, const hed_coo *x, int64_t rank,
                              const hed_cp_options *opt, hed_cp *out, hed_fit *fit);
#endif
