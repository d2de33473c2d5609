// SPDX-License-Identifier: BSD-3-Clause
/* dtypes: process-wide immutable objects whose meaning is resolved per backend, at call time.
 *
 * A dtype is a pointer to a singleton; comparing pointers is legal and enough. HED_REAL,
 * HED_COMPLEX and HED_INDEX are abstract: each context says what they mean (spec options real=,
 * complex=, index=), and a dtype obtained before a switch of backend resolves correctly after it.
 */
#ifndef HEDDLE_DTYPE_H
#define HEDDLE_DTYPE_H

#include <heddle/error.h>
#include <stdbool.h>
#include <stddef.h>

HED_BEGIN_DECLS

typedef const struct hed_dtype_desc *hed_dtype;
typedef struct hed_context hed_context;

typedef enum hed_dtype_id {
#define HED_DTYPE(ID, name, ctype, kind, bytes) HED_ID_##ID,
#define HED_ABSTRACT(ID, name, kind) HED_ID_ABSTRACT_##ID,
#include <heddle/dtypes.def>
#undef HED_ABSTRACT
#undef HED_DTYPE
  HED_ID_COUNT_,
  HED_ID_CONCRETE_COUNT_ = HED_ID_ABSTRACT_REAL
} hed_dtype_id;

typedef enum hed_kind {
  HED_KIND_BOOL, HED_KIND_UINT, HED_KIND_INT, HED_KIND_FLOAT, HED_KIND_COMPLEX
} hed_kind;

#define HED_DTYPE(ID, name, ctype, kind, bytes) \
  extern HED_API const struct hed_dtype_desc hed_dtype_##name;
#define HED_ABSTRACT(ID, name, kind) extern HED_API const struct hed_dtype_desc hed_dtype_abstract_##name;
#include <heddle/dtypes.def>
#undef HED_ABSTRACT
#undef HED_DTYPE

#define HED_BOOL (&hed_dtype_bool)
#define HED_INT8 (&hed_dtype_int8)
#define HED_INT16 (&hed_dtype_int16)
#define HED_INT32 (&hed_dtype_int32)
#define HED_INT64 (&hed_dtype_int64)
#define HED_UINT8 (&hed_dtype_uint8)
#define HED_UINT16 (&hed_dtype_uint16)
#define HED_UINT32 (&hed_dtype_uint32)
#define HED_UINT64 (&hed_dtype_uint64)
#define HED_FLOAT16 (&hed_dtype_float16)
#define HED_BFLOAT16 (&hed_dtype_bfloat16)
#define HED_FLOAT32 (&hed_dtype_float32)
#define HED_FLOAT64 (&hed_dtype_float64)
#define HED_COMPLEX64 (&hed_dtype_complex64)
#define HED_COMPLEX128 (&hed_dtype_complex128)
#define HED_REAL (&hed_dtype_abstract_real)
#define HED_COMPLEX (&hed_dtype_abstract_complex)
#define HED_INDEX (&hed_dtype_abstract_index)

/* The dtype called NAME ("float32", "real"); NULL with HED_E_NOTFOUND set when there is none. */
HED_API hed_dtype hed_dtype_by_name(const char *name);

/* Its name; NULL for NULL. Static. */
HED_API const char *hed_dtype_name(hed_dtype t);

/* Bytes of one element, abstract ones resolved in the current context; 0 for NULL. */
HED_API size_t hed_dtype_size(hed_dtype t);

/* Position in dtypes.def, as plug-ins see it; HED_ID_COUNT_ for NULL. */
HED_API hed_dtype_id hed_dtype_id_of(hed_dtype t);

/* The dtype at a position of dtypes.def; NULL when out of range. */
HED_API hed_dtype hed_dtype_of(int id);

/* Kind of a dtype (abstract ones by their family). */
HED_API hed_kind hed_dtype_kind(hed_dtype t);

/* The dtype of A op B: one table for every backend. Within a kind the wider type; signed with unsigned
 * the next wider signed type (uint64 with a signed type: float64); an integer with a float takes the
 * float's type; a real float with a complex takes a complex type wide enough for both; bool gives way to
 * everything; float16 with bfloat16 gives float32. Abstract types are resolved first. NULL when an
 * argument is NULL. */
HED_API hed_dtype hed_dtype_promote(hed_dtype a, hed_dtype b);

/* Does promotion with FROM leave TO as it is? The array API's can_cast. False when one is NULL. */
HED_API bool hed_can_cast(hed_dtype from, hed_dtype to);

/* Is T of a kind, in the array API's words: "bool", "signed integer", "unsigned integer", "integral", "real floating",
 * "complex floating", "numeric"? 1 or 0; HED_E_INVAL for another word, or NULL. */
HED_API int hed_isdtype(hed_dtype t, const char *kind);

/* ---- limits of a dtype: abstract ones are resolved in the current context ---- */

/* A floating-point type; a complex type's limits are those of its real type. Every value is exact in double. */
typedef struct hed_finfo {
  uint32_t struct_size;
  int32_t bits;             /* of a real element */
  int32_t mantissa_bits;    /* stored ones, without the leading 1 */
  int32_t exponent_bits;
  double eps;               /* from 1 to the next larger number */
  double max;               /* largest finite number; the lowest is -max */
  double smallest_normal, smallest_subnormal; /* above 0 */
  int32_t digits;           /* decimal digits that survive (DIG of <float.h>) */
} hed_finfo;

/* An integer type. */
typedef struct hed_iinfo {
  uint32_t struct_size;
  int32_t bits;
  int64_t min;
  uint64_t max;
} hed_iinfo;

/* Limits of T. Set struct_size before the call. HED_E_DTYPE for a type of the other kind (bool has neither). */
HED_API hed_status hed_dtype_finfo(hed_dtype t, hed_finfo *out);
HED_API hed_status hed_dtype_iinfo(hed_dtype t, hed_iinfo *out);

/* eps of T; NaN with HED_E_DTYPE set for types without. */
HED_API double hed_dtype_eps(hed_dtype t);

/* Numbers for double arguments; infinity and NaN are those of <math.h>. */
#define HED_PI 3.14159265358979323846
#define HED_EULER 2.71828182845904523536

/* How well a backend can do a dtype or an operation. Of operations alone: COMPOSED, of operations that it may do itself, and HOST,
 * in host memory, whatever the device is. */
typedef enum hed_support {
  HED_SUPPORT_NONE, HED_SUPPORT_FALLBACK, HED_SUPPORT_NATIVE, HED_SUPPORT_COMPOSED, HED_SUPPORT_HOST
} hed_support;

/* What a dtype means on one backend and device. Set struct_size before the call. */
typedef struct hed_dtype_resolution {
  uint32_t struct_size;
  int32_t support;      /* hed_support: NATIVE, FALLBACK (emulated, e.g. float16 through float32), NONE */
  hed_dtype storage;    /* what arrays of it store; with dtype=relaxed perhaps narrower than asked */
  hed_dtype accum;      /* what sums of it accumulate in */
  size_t size, align;   /* bytes of one stored element */
  int64_t native;       /* the backend's own handle as a number (cudaDataType, FFTW precision family), or -1 */
  const char *native_name; /* the backend's own name of it ("float", "fftwf"), or NULL; static */
} hed_dtype_resolution;

/* Resolve T in context C (NULL = the current one). HED_E_DTYPE when the backend cannot represent it and
 * the context is not relaxed; the sentence names the nearest dtype that it can. */
HED_API hed_status hed_dtype_resolve(hed_dtype t, const hed_context *c, hed_dtype_resolution *out);

HED_END_DECLS

#endif
