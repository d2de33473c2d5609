// SPDX-License-Identifier: BSD-3-Clause
/* What a model of the vsa kit is made of.
 *
 * Layer: L4, vsa kit, internal. Reading order: vsa.h, this file, model.c (which rows a model has), call.c (public functions:
 * check, then the model's row), check.c, draw.c (random vectors), then a file per model.
 *
 * Rows of hed__vsa_ops make arrays as they please and release none: the public function that calls them has a scope, which takes
 * all but the result. Loops that make much open one of their own.
 */
#ifndef HEDDLE_KITS_VSA_INTERNAL_H
#define HEDDLE_KITS_VSA_INTERNAL_H
#include <heddle.h>
#include <heddle/kits/vsa.h>
#include <pthread.h>
#include <stdatomic.h>

/* What is drawn for what: no two of them share bits. */
typedef enum hed__vsa_role {
  HED__VSA_ITEM = 1, HED__VSA_TIE, HED__VSA_PERMUTATION, HED__VSA_SYMBOL, HED__VSA_INIT, HED__VSA_AXIS, HED__VSA_PHASE,
  HED__VSA_SAMPLE, HED__VSA_POSITION
} hed__vsa_role;

/* A bundle as a model's row gets it: X (.., n, vector), WEIGHTS (n) float or NULL, TIE as hed_vsa_tie_vector(), or NULL. */
typedef struct hed__vsa_sum {
  const hed_array *x, *weights, *tie;
  int64_t n;
} hed__vsa_sum;

/* NULL: the model has none (rows and bundle are always there; call.c says what stands in for others). */
typedef struct hed__vsa_ops {
  bool exact_rows; /* random vectors need no arithmetic in float64 */
  hed_array *(*rows)(const hed_vsa *v, int64_t n, const uint64_t *keys);
  hed_array *(*identity)(const hed_vsa *v);
  hed_array *(*bind)(const hed_vsa *v, const hed_array *a, const hed_array *b);
  hed_array *(*bind_all)(const hed_vsa *v, const hed_array *x, int64_t n); /* NULL: one after the other */
  hed_array *(*unbind)(const hed_vsa *v, const hed_array *c, const hed_array *b);
  hed_array *(*unbind_left)(const hed_vsa *v, const hed_array *c, const hed_array *a); /* NULL: unbind      */
  hed_array *(*inverse)(const hed_vsa *v, const hed_array *x);
  hed_array *(*negative)(const hed_vsa *v, const hed_array *x);
  hed_array *(*bundle)(const hed_vsa *v, const hed__vsa_sum *s);
  hed_array *(*permute)(const hed_vsa *v, const hed_array *x, int64_t k);            /* NULL: roll        */
  hed_array *(*permute_by)(const hed_vsa *v, const hed_array *x, const hed_array *order); /* NULL: take   */
  hed_array *(*normalise)(const hed_vsa *v, const hed_array *x);                     /* NULL: a copy      */
  hed_array *(*quantise)(const hed_vsa *v, const hed_array *x);
  hed_array *(*power)(const hed_vsa *v, const hed_array *x, double p);
  hed_array *(*similarity)(const hed_vsa *v, const hed_array *a, const hed_array *b);
  hed_array *(*matrix)(const hed_vsa *v, const hed_array *q, const hed_array *x);    /* (Q, ..) and (N, ..) */
  hed_array *(*tie)(const hed_vsa *v);                                              /* NULL: a random vector */
} hed__vsa_ops;

typedef enum hed__vsa_constant { HED__VSA_TIES, HED__VSA_TAIL, HED__VSA_BASIS, HED__VSA_CONSTANTS } hed__vsa_constant;
enum { HED__VSA_SPACES = 4 };

struct hed_vsa {
  atomic_int refs;
  hed_vsa_model model;
  const char *name;       /* of the model                                  */
  const hed__vsa_ops *ops;
  hed_vsa_options o;      /* every default filled in                       */
  hed_shape shape;        /* of one vector as it is stored                 */
  hed_shape plain_shape;  /* the same in the plain layout                  */
  hed_dtype dtype, plain; /* as it is stored; in the plain layout          */
  hed_dtype real;         /* of similarities: float32 or float64           */
  int64_t ones;           /* BSDC: k                                       */
  uint32_t flags;
  pthread_mutex_t lock;   /* of what follows: made once per memory space   */
  hed_array *constant[HED__VSA_CONSTANTS][HED__VSA_SPACES];
};

extern const hed__vsa_ops hed__vsa_map, hed__vsa_map_real, hed__vsa_hrr, hed__vsa_fhrr, hed__vsa_bsc, hed__vsa_bsdc, hed__vsa_seg,
    hed__vsa_seg_xor, hed__vsa_cgr, hed__vsa_ghrr, hed__vsa_vtb, hed__vsa_vtb_shift, hed__vsa_mcr, hed__vsa_bits, hed__vsa_sparse_bits;

/* constants.c: a constant of V in SPACE, made by MAKE where it is not there yet; borrowed from V or from the scope. */
const hed_array *hed__vsa_constant_of(const hed_vsa *v, hed__vsa_constant which, const char *space,
                                      hed_array *(*make)(const hed_vsa *v));

/* spec.c: the text that hed_vsa_by_name() makes V of, at most 14 fields of 12 and 31 characters. */
enum { HED__VSA_TEXT = 640 };
void hed__vsa_text(const hed_vsa *v, char out[HED__VSA_TEXT]);

/* draw.c */
/* 64-bit FNV-1a of a name */
uint64_t hed__vsa_hash(const char *s);
uint64_t hed__vsa_key(const hed_vsa *v, hed__vsa_role role, uint64_t index);
/* V's rows of keys fold(BASE, FIRST ..), (n, ..). */
hed_array *hed__vsa_rows(const hed_vsa *v, uint64_t base, int64_t first, int64_t n);
hed_array *hed__vsa_keyed_rows(const hed_vsa *v, int64_t n, const uint64_t *keys);
/* ONE for each key, stacked. */
hed_array *hed__vsa_stack(const hed_vsa *v, int64_t n, const uint64_t *keys,
                          hed_array *(*one)(const hed_vsa *v, uint64_t key));
/* The key that R chooses, with ROLE; a generator has moved on. */
hed_status hed__vsa_base(const hed_random *r, hed__vsa_role role, uint64_t *base);

/* ties.c: TIE of a bundle: that of S, or the model's for X's space, or as the options say. Numbers that are to be quantised have
 * n = 0, as there is no first vector among them. */
const hed_array *hed__vsa_tie_of(const hed_vsa *v, const hed__vsa_sum *s);

/* check.c: is X an array of V's vectors? Else the error is set, in the name of OP and the argument NAME. */
bool hed__vsa_fits(const hed_vsa *v, const char *op, const char *name, const hed_array *x);
bool hed__vsa_given(const hed_vsa *v, const char *op, const char *name, const hed_array *x);
bool hed__vsa_ends_with(const char *op, const char *name, const hed_array *x, const char *whose, hed_shape shape);
/* What OP has kept, as an array that belongs to the caller, or to the caller's scope. */
hed_array *hed__vsa_out(hed_array *kept);
/* NULL, with HED_E_UNSUPPORTED. */
hed_array *hed__vsa_lacks(const hed_vsa *v, const char *op);
/* Number of axes of X that are a batch; their shape; batch and then SHAPE. */
int32_t hed__vsa_batch(const hed_vsa *v, const hed_array *x);
hed_shape hed__vsa_batch_shape(const hed_vsa *v, const hed_array *x);
hed_shape hed__vsa_joined(hed_shape a, hed_shape b);
int64_t hed__vsa_count(hed_shape s);

/* valid.c */
/* Whether its elements are those of V's vectors; HED_E_RANGE with the first place where not. */
hed_status hed__vsa_valid(const hed_vsa *v, const char *op, const char *name, const hed_array *x);

/* sums.c: sums and products over vectors, in floating point; the widest type that the current device has. */
hed_dtype hed__vsa_wide(bool is_complex);
hed_array *hed__vsa_norm(const hed_array *x);                       /* of the last axis, kept as 1, wide        */
hed_array *hed__vsa_unit(const hed_vsa *v, const hed_array *x);     /* over that norm; 0 stays 0                */
hed_array *hed__vsa_modulus_one(const hed_vsa *v, const hed_array *x, double least, const hed_array *tie);
hed_array *hed__vsa_cosine(const hed_vsa *v, const hed_array *a, const hed_array *b);
hed_array *hed__vsa_cosine_matrix(const hed_vsa *v, const hed_array *q, const hed_array *x);
/* sum over vectors of S with its weights: (.., vector), in T */
hed_array *hed__vsa_total(const hed_vsa *v, const hed__vsa_sum *s, hed_dtype t);
/* sum of |weights|, n without */
hed_status hed__vsa_weight(const hed__vsa_sum *s, double *out);
/* Re sum conj(q) x for every row of Q (Q, E) and X (N, E): (Q, N) */
hed_array *hed__vsa_products(const hed_array *q, const hed_array *x);
/* Re sum conj(a) b over the last axis */
hed_array *hed__vsa_product(const hed_array *a, const hed_array *b);
hed_array *hed__vsa_unit_sum(const hed_vsa *v, const hed__vsa_sum *s);
/* X mod M of integers, in their type */
hed_array *hed__vsa_mod(const hed_array *x, int64_t m);
hed_array *hed__vsa_zeros(const hed_vsa *v);
hed_array *hed__vsa_ones(const hed_vsa *v);
hed_array *hed__vsa_minus(const hed_vsa *v, const hed_array *x);

/* binary.c: models of two values; H are numbers of places that differ. */
hed_array *hed__vsa_from_hamming(const hed_vsa *v, const hed_array *h);
hed_array *hed__vsa_overlap(const hed_vsa *v, const hed_array *h, const hed_array *ones_a, const hed_array *ones_b);
/* Where SUM is above 0, TIE (of dtype bool) where it is 0. */
hed_array *hed__vsa_majority(const hed_array *sum, const hed_array *tie);
hed_array *hed__vsa_ones_of(const hed_array *x); /* of the last axis, kept as 1 */
hed_array *hed__vsa_plain_hamming(const hed_vsa *v, const hed_array *q, const hed_array *x); /* (Q, D) and (N, D): (Q, N) */
hed_array *hed__vsa_self_power(const hed_vsa *v, const hed_array *x, double p); /* where x bound to itself is the identity */
hed_array *hed__vsa_bits_bundle(const hed_vsa *v, const hed__vsa_sum *s);  /* of bool, with weights and a tie: bool */
hed_array *hed__vsa_plain_bundle(const hed_vsa *v, const hed__vsa_sum *s); /* of MAP and BSC in the plain layout */

/* words.c */
hed_array *hed__vsa_bits_of(const hed_vsa *v, const hed_array *plain); /* of MAP: 1 where it is below 0 */
hed_array *hed__vsa_from_bits(const hed_vsa *v, const hed_array *bits); /* in V's layout */
hed_array *hed__vsa_unpacked(const hed_vsa *v, const hed_array *packed); /* bool, whatever the model */
const hed_array *hed__vsa_tail(const hed_vsa *v, const hed_array *x); /* ones where there are elements, in X's space */
hed_array *hed__vsa_cut(const hed_vsa *v, hed_array *words);           /* zeros behind them */
hed_array *hed__vsa_random_words(const hed_vsa *v, int64_t n, const uint64_t *keys);

/* bsdc.c: rows of sparse vectors in the plain layout, which packed.c puts into words. */
typedef hed_array *hed__vsa_two(const hed_vsa *v, const hed_array *a, const hed_array *b);
hed_array *hed__vsa_sparse_rows(const hed_vsa *v, int64_t n, const uint64_t *keys);
hed_array *hed__vsa_sparse_bundle(const hed_vsa *v, const hed__vsa_sum *s);
hed_array *hed__vsa_sparse_quantise(const hed_vsa *v, const hed_array *x);
hed__vsa_two hed__vsa_sparse_bind, hed__vsa_sparse_unbind, hed__vsa_sparse_unbind_left;
hed_array *hed__vsa_sparse_bind_all(const hed_vsa *v, const hed_array *x, int64_t n);
hed_array *hed__vsa_ranks(const hed_vsa *v); /* the place of each element in the order of ties, int64 */

/* mcr.c: phases of numbers; x^p of what is added modulo the block. */
hed_array *hed__vsa_phase_of(const hed_vsa *v, const hed_array *x);
hed_array *hed__vsa_phasors(const hed_vsa *v, const hed_array *x, hed_dtype t);
hed__vsa_two hed__vsa_modular_add, hed__vsa_modular_subtract;
hed_array *hed__vsa_modular_negative(const hed_vsa *v, const hed_array *x);
hed_array *hed__vsa_modular_power(const hed_vsa *v, const hed_array *x, double p);
hed_array *hed__vsa_modular_rows(const hed_vsa *v, int64_t n, const uint64_t *keys);

/* seg.c: one-hot segments (.., S L) of indices (.., S) */
hed_array *hed__vsa_one_hot(const hed_vsa *v, const hed_array *index);

/* F of each row of Q with all of X (N, ..), one after the other: (Q, N) */
hed_array *hed__vsa_each(const hed_vsa *v, const hed_array *q, const hed_array *x,
                         hed_array *(*f)(const hed_vsa *v, const hed_array *q, const hed_array *x));

#endif
