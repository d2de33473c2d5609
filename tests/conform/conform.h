// SPDX-License-Identifier: BSD-3-Clause
/* Shared by the parts of the conformance test: a run of one case, its operands and its results. */
#ifndef HED_TESTS_CONFORM_H
#define HED_TESTS_CONFORM_H

#include "gen.h"
#include "tap.h"

#include <heddle.h>

enum { SPECIAL = 1, WRAP = 2, WHOLE = 4, SIZES = 8, SPREAD = 16 };

typedef enum layout { PLAIN, TRANSPOSED, REVERSED, BROADCAST, LAYOUTS } layout;
typedef enum extent { NORMAL, EMPTY, SCALAR, LARGE, EXTENTS } extent;

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
  bool repeats;     /* values do not depend on one of the indices */
  uint64_t seed;
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

/* ---- jobs, named by cases.def ---- */

#define HED_CASE(name, job, low, high, ulps, flags) void job_##job(run *r);
#include "cases.def"

#endif
