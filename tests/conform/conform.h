// SPDX-License-Identifier: BSD-3-Clause
/* Shared by the parts of the conformance test: a run of one case, its operands and its results. */
#ifndef HED_TESTS_CONFORM_H
#define HED_TESTS_CONFORM_H

#include "gen.h"
#include "tap.h"

#include <heddle.h>

enum { SPECIAL = 1, WRAP = 2, WHOLE = 4, SIZES = 8, SPREAD = 16, ZEROS = 32, CANCELS = 64, SUBNORMAL = 128 };

typedef enum layout { PLAIN, TRANSPOSED, REVERSED, BROADCAST, LAYOUTS } layout;
/* PAIRS: all pairs of special values, one in each operand, or two in each slice where there is one operand. GIVEN: the run's shape. */
typedef enum extent { NORMAL, EMPTY, SCALAR, LARGE, EXTENTS, PAIRS = EXTENTS, GIVEN } extent;

typedef struct run run;

typedef struct conform_case {
  const char *name;
  void (*job)(run *r);
  double low, high;
  int ulps, flags;
} conform_case;

enum { MAX_RESULTS = 40 };

typedef struct result {
  int status;       /* hed_status of the operation; the rest is meaningful when it is 0 */
  int dtype;
  hed_shape shape;
  void *data;       /* in C order; owned */
  double size;      /* what rounding errors are measured by, 0: each element by itself */
} result;

/* One run of a case in the context in force. Values of operands depend on the seed, the operand's number and the logical
 * index only, so that runs that differ in layout see the same arrays. */
struct run {
  const conform_case *c;
  int op;
  hed_dtype dtype;
  layout layout;
  extent extent;
  hed_shape shape;  /* GIVEN */
  bool repeats;     /* values do not depend on one of the indices */
  uint64_t seed;
  /* what operand_of() gives, for tests that put something in an operand's place; NULL: plain_operand() */
  hed_array *(*make)(run *r, int k, hed_dtype t, hed_shape shape, double low, double high);
  int n;
  result results[MAX_RESULTS];
};

/* ---- operands: new arrays in the context in force, NULL with the error set ---- */

hed_shape run_shape(const run *r); /* of elementwise operands */
/* Is T among the types that are compared? */
bool is_wanted_type(hed_dtype t);
/* Operand K of the case's dtype and the run's shape. */
hed_array *operand(run *r, int k);
/* Operand K of dtype T, shape and range; laid out as the run says. */
hed_array *operand_of(run *r, int k, hed_dtype t, hed_shape shape, double low, double high);
hed_array *plain_operand(run *r, int k, hed_dtype t, hed_shape shape, double low, double high);
/* Has C an operand that may be left out, in the call or in its options? */
bool may_lack_operand(const conform_case *c);

/* ---- special values, of real and complex floats: special.c ---- */

/* Is the case tried with pairs of special values of type T? */
bool takes_pairs(const conform_case *c, hed_dtype t);
/* Shape of operands in a run with PAIRS. */
hed_shape pairs_shape(const run *r);
/* How many arrangements of values runs with PAIRS have, and which one this is. */
int pairs_arrangement(const run *r);
/* Which signs have to be equal: those of numbers but 0, and of infinities; of 0 too; of numbers alone. */
typedef enum sign_rule { SIGN_OF_NUMBERS, SIGN_COUNTS, SIGN_OPEN } sign_rule;
/* Of the parts WANT of element INDEX of a result of R. */
void pairs_signs(const run *r, int64_t index, const double want[2], sign_rule out[2]);
/* Is element INDEX of a result of R, GOT where WANT was expected, one that nobody promises? */
bool pairs_open(const run *r, int64_t index, const double want[2], const double got[2]);
/* Says of which operands element INDEX of a result of R is, if they are one each. */
void pairs_show(const run *r, int64_t index);
/* Element INDEX of operand K of SHAPE as two numbers of type T. */
void pairs_value(const run *r, int k, hed_dtype t, hed_shape shape, int64_t index, double out[2]);

/* A copy of DATA (C order) as an array; in host memory between two unreadable pages, so that reading or writing beyond
 * either end ends the program, and within a few bytes of an element is noticed. */
hed_array *guarded(hed_shape shape, hed_dtype t, const void *data);
/* Arrays made so beside which a byte had changed when they were released. */
int operands_written_beside(void);

/* ---- results ---- */

/* Record X, or the error in force when it is NULL. */
void put(run *r, const hed_array *x);
/* The same of a result in which cancellation leaves errors of some units of SIZE in every element. */
void put_errors(run *r, const hed_array *x, double size);
/* The largest absolute value in the few elements of X; 0 when X is NULL. */
double largest(const hed_array *x);
/* Record a status; X when it is HED_OK and X is not NULL. */
void put_status(run *r, hed_status status, const hed_array *x);

/* Runs R's job in the context SPEC, and records results; false: there is no such context. */
bool execute(run *r, const char *spec);
/* Frees what was recorded. */
void forget(run *r);
/* Does GOT say the same as WANT, by the case's tolerance? Says what differs. */
bool same_results(const run *want, const run *got);
/* A point for each operation of one or two operands on the reference backend: what it gives of special values of type T is what
 * C's functions give. */
void conform_truth(const conform_case *c, hed_dtype t);
/* The tables of C's Annex G of complex functions. */
void conform_annex_g(void);

/* ---- jobs, named by cases.def ---- */

#define HED_CASE(name, job, low, high, ulps, flags, degree) void job_##job(run *r);
#include "cases.def"

#endif
