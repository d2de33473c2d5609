// SPDX-License-Identifier: BSD-3-Clause
/* What an encoder of the vsa kit is made of.
 *
 * Layer: L4, vsa kit, internal. Reading order: vsa_encode.h, this file, encode.c (public functions: check, then the kind's row), then
 * a file per kind. As in internal.h, rows run in a scope of the function that calls them.
 */
#ifndef HEDDLE_KITS_VSA_ENCODE_INTERNAL_H
#define HEDDLE_KITS_VSA_ENCODE_INTERNAL_H
#include "kits/vsa/internal.h"
#include <heddle/kits/vsa_encode.h>

typedef struct hed__vsa_encoding {
  hed_array *(*encode)(const hed_vsa_encoder *e, const hed_array *x);
  /* H (.., vector); *SIMILARITY, in the inputs' shape. NULL: there is none */
  hed_array *(*decode)(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity);
  const char *name;
  int32_t axes;              /* of one input */
} hed__vsa_encoding;

/* What a kind keeps in its arrays, the file of the kind says. */
enum { HED__VSA_ARRAYS = 4, HED__VSA_INPUT_AXES = 3 };

struct hed_vsa_encoder {
  atomic_int refs;
  const hed__vsa_encoding *kind;
  hed_vsa *v;
  hed_vsa_encoder *part[3];  /* of the numbers that it is made of                     */
  hed_vsa_range range;
  int64_t extent[HED__VSA_INPUT_AXES]; /* of one input; 0: any                        */
  int32_t axes;
  int64_t count;             /* levels; points of the grid                            */
  int32_t mixture, choice, rounds;
  double bandwidths[HED_VSA_BANDWIDTHS], weights[HED_VSA_BANDWIDTHS];
  hed_array *array[HED__VSA_ARRAYS];
};

/* encode.c */
/* A new encoder of KIND, NULL with HED_E_NOMEM; *OUT is cleared first. */
hed_vsa_encoder *hed__vsa_encoder_new(const char *op, const hed_vsa *v, const hed__vsa_encoding *kind, hed_vsa_encoder **out);
/* Array K of E is MADE, which is not NULL but after an error. */
hed_status hed__vsa_encoder_keep(hed_vsa_encoder *e, int k, const hed_array *made);
/* To *OUT when STATUS is HED_OK; else E is released. */
hed_status hed__vsa_encoder_done(hed_vsa_encoder *e, hed_status status, hed_vsa_encoder **out);
/* *R with its defaults. */
hed_status hed__vsa_range_check(const char *op, hed_vsa_range *r);
/* X in units of the range of E, in [0, 1]: in the model's real type. */
hed_array *hed__vsa_units(const hed_vsa_encoder *e, const hed_array *x);
/* Back from units in [0, 1]; NaN where STRICT and SIMILARITY is noise. */
hed_array *hed__vsa_from_units(const hed_vsa_encoder *e, const hed_array *u, bool strict, const hed_array *similarity);
/* The number of what encoders of KIND draw for their own NUMBER: those of two kinds have no vectors in common. */
uint64_t hed__vsa_kind_number(const char *kind, uint64_t number);
/* FIRST to FIRST + N - 1 of the random vectors that NUMBER and ROLE choose. */
hed_array *hed__vsa_drawn(const hed_vsa *v, hed__vsa_role role, uint64_t number, int64_t first, int64_t n);
/* X with an axis of extent 1 behind its batch. */
hed_array *hed__vsa_beside(const hed_vsa *v, const hed_array *x);
/* X permuted by I * STEP + FIRST along the last axis of its batch, I from 0. */
hed_array *hed__vsa_permuted(const hed_vsa *v, const hed_array *x, int64_t first, int64_t step);

/* spectra.c: vectors as spectra of phasors and back. */
bool hed__vsa_has_spectra(const hed_vsa *v);
int64_t hed__vsa_spectrum_length(const hed_vsa *v);
hed_array *hed__vsa_of_spectra(const hed_vsa *v, const hed_array *z); /* (.., K) */
hed_array *hed__vsa_spectra_of(const hed_vsa *v, const hed_array *h);
/* How often each element of a spectrum counts, (K). */
hed_array *hed__vsa_multiplicity(const hed_vsa *v);
/* N phases for each element of a spectrum, (n, K), 0 where it has to be real. */
hed_array *hed__vsa_phases(const hed_vsa *v, const hed_vsa_scalar_options *o, int64_t n);
/* The spectra of numbers U (.., 1) in [0, 1]. */
hed_array *hed__vsa_power_spectra(const hed_vsa_encoder *e, const hed_array *u);
hed_status hed__vsa_phases_check(const char *op, const hed_vsa *v, const hed_vsa_scalar_options *o);

/* decode.c: */
/* What decoding needs of E, whose phases are there. */
hed_status hed__vsa_prepare_decode(hed_vsa_encoder *e, int32_t phases);
hed_array *hed__vsa_decode_scalar(const hed_vsa_encoder *e, const hed_array *h, bool strict, hed_array **similarity);

#endif
