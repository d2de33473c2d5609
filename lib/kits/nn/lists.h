// SPDX-License-Identifier: BSD-3-Clause
/* Checks and small steps that the rooms of the kit share.
 *
 * Layer: L4, nn kit. Arrays that these functions return belong to the caller's scope.
 */
#ifndef HED_KITS_NN_LISTS_H
#define HED_KITS_NN_LISTS_H
#include "kits/given.h"
#include "kits/shapes.h"
#include <heddle.h>

/* Is X there (hed__operand_given), and of a real float type, HED_E_DTYPE? */
bool hed__train_float(const char *op, const char *name, const hed_array *x);
/* ... and real: no complex numbers, HED_E_DTYPE. */
bool hed__train_real(const char *op, const char *name, const hed_array *x);
/* HED_E_SHAPE where X has not the shape of Y, called OTHER. */
bool hed__train_fits(const char *op, const char *name, const hed_array *x, const char *other, const hed_array *y);
/* KEPT, which no scope has, as an array of the caller's scope. */
hed_array *hed__train_out(hed_array *kept);
/* A new handle on the same elements. */
hed_array *hed__train_same(const hed_array *x);
/* The spec of the device whose memory X lies in. */
const char *hed__train_home(const hed_array *x);
/* float64, or float32 where the device in force has none. */
hed_dtype hed__train_wide(void);
/* The elements of X as doubles, from malloc(); NULL with the error set. */
double *hed__train_doubles(const hed_array *x);
int64_t *hed__train_integers(const hed_array *x);
/* N times SIZE bytes of zeros, HED_E_NOMEM in the name of OP; N 0 is fine. */
void *hed__train_room(const char *op, int64_t n, size_t size);
/* How many samples, along the first axis, each of the M arrays WHAT has, into *SAMPLES; HED_E_SHAPE: none, or not the same. */
hed_status hed__train_samples(const char *op, const char *what, int m, const hed_array *const *x, int64_t *samples);
/* Where NAME is among the N names that LIST says; -1 with HED_E_NOTFOUND, which lists them. */
int hed__train_named(const char *op, const char *what, const char *name, int n, const char *(*list)(int k));

#endif
