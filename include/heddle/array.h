// SPDX-License-Identifier: BSD-3-Clause
/* Arrays: counted handles on storage in a memory space.
 *
 * An array has a dtype, a shape of up to 16 dimensions, byte strides and an offset; views share storage. Functions
 * that return an array return a new reference that the caller releases (or a HED_SCOPE does), or NULL with the
 * thread's error set. NULL as an array argument gives NULL and leaves the error standing that caused it.
 * Handles may be shared between threads; counting is atomic; concurrent writing to one storage is a race.
 */
#ifndef HEDDLE_ARRAY_H
#define HEDDLE_ARRAY_H

#include <heddle/context.h>
#include <heddle/dtype.h>

HED_BEGIN_DECLS

enum { HED_MAX_NDIM = 16 };

typedef struct hed_shape {
  int32_t ndim;
  int64_t dim[HED_MAX_NDIM];
} hed_shape;

typedef struct hed_axes {
  int32_t n; /* 0 = all axes; -1 = none, where that makes sense: HED_NO_AXES */
  int32_t axis[HED_MAX_NDIM];
} hed_axes;

typedef struct hed_array hed_array;

#ifdef __cplusplus
}
namespace heddle_detail {
template <class... T> inline hed_shape shape(T... d)
{
  hed_shape s = { int32_t(sizeof...(d)), { int64_t(d)... } };
  return s;
}
template <class... T> inline hed_axes axes(T... d)
{
  hed_axes s = { int32_t(sizeof...(d)), { int32_t(d)... } };
  return s;
}
}
extern "C" {
#  define HED_SHAPE(...) (::heddle_detail::shape(__VA_ARGS__))
#  define HED_AXES(...) (::heddle_detail::axes(__VA_ARGS__))
#else
/* HED_SHAPE(64, 64); a 0-d shape is HED_SHAPE0 */
#  define HED_SHAPE(...) \
    ((hed_shape){ (int32_t)(sizeof((int64_t[]){ __VA_ARGS__ }) / sizeof(int64_t)), { __VA_ARGS__ } })
#  define HED_AXES(...) \
    ((hed_axes){ (int32_t)(sizeof((int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t)), { __VA_ARGS__ } })
#endif
#ifdef __cplusplus
#  define HED_SHAPE0 (hed_shape())
#  define HED_NO_AXES (hed_axes{ -1, { 0 } })
#else
#  define HED_SHAPE0 ((hed_shape){ 0, { 0 } })
#  define HED_NO_AXES ((hed_axes){ -1, { 0 } })
#endif

/* ---- making and releasing ---- */

/* Copy of host data in C order, in the current context's memory space. */
HED_NEW hed_array *hed_from_host(const void *data, hed_shape shape, hed_dtype t);

/* Host memory as it is, no copy; DATA points at element [0, 0, ...] and strides may be negative or zero. Both are
 * multiples of the bytes of a component (4 for complex64), else HED_E_INVAL; HED_E_SHAPE for what leaves the address space.
 * DONE(DONE_ARG) is called once, on whichever thread drops the last reference, when it is not NULL. On failure
 * DONE is not called and the memory stays the caller's. */
HED_NEW hed_array *hed_wrap(void *data, hed_shape shape, const int64_t *strides_bytes, hed_dtype t,
                            void (*done)(void *), void *done_arg);

/* An array without values in host memory that the device of SPEC ("cuda:1", NULL: the current context's) copies from and to
 * without staging; in ordinary host memory where the device has none such. For what is copied there often: such memory is dear,
 * is not kept for reuse, and counts towards no context's limit. An array like others otherwise. */
HED_NEW hed_array *hed_empty_pinned(hed_shape shape, hed_dtype t, const char *spec);

/* Copy out in C order; waits for asynchronous work and delivers its failure. DST_BYTES must be exactly the
 * array's size. */
HED_API hed_status hed_to_host(const hed_array *x, void *dst, size_t dst_bytes);

/* Explicit move to the memory space of SPEC's backend and device; a new handle on the same storage when already there. */
HED_NEW hed_array *hed_to(const hed_array *x, const char *spec);

/* A view of X through which, and through whose views, nothing is written: operations that are given it as OUT are
 * HED_E_INVAL. Copies of it may be written. */
HED_NEW hed_array *hed_read_only(const hed_array *x);

/* One more reference to the handle; returns X, NULL for NULL. Any thread. */
HED_API hed_array *hed_retain(hed_array *x);

/* Any thread, any context; NULL is fine. What was released once too often is nobody's to use: builds for debugging and those with
 * sanitizers name it and end; others leave it alone while the memory lies unused, which is not for long. */
HED_API void hed_release(hed_array *x);

/* Wait for asynchronous work on X; HED_E_ASYNC with the operation that caused it when that failed. */
HED_API hed_status hed_wait(const hed_array *x);

/* ---- what an array is: facts, of which NULL has none; no error is set ---- */

HED_API hed_shape hed_array_shape(const hed_array *x);  /* ndim -1 for NULL */
HED_API hed_dtype hed_array_dtype(const hed_array *x);  /* NULL for NULL */
HED_API int32_t hed_array_ndim(const hed_array *x);     /* -1 for NULL */
HED_API int64_t hed_array_size(const hed_array *x);     /* elements; -1 for NULL */
HED_API size_t hed_array_nbytes(const hed_array *x);    /* elements times bytes of one; 0 for NULL */
HED_API hed_status hed_array_strides(const hed_array *x, int64_t *strides_bytes); /* writes ndim values; NULL fails */
HED_API const char *hed_array_backend(const hed_array *x); /* backend that produced it; static; "" for NULL */
HED_API const char *hed_array_space(const hed_array *x);   /* "host", "cuda:0"; static; "" for NULL */
HED_API bool hed_array_is_read_only(const hed_array *x);
HED_API bool hed_array_is_weak(const hed_array *x);        /* a scalar that takes the other operand's type (hed_scalar) */
HED_API bool hed_array_is_contiguous(const hed_array *x);  /* C order without gaps */
HED_API bool hed_array_shares(const hed_array *x, const hed_array *y); /* have they a byte in common? May compute what is deferred */
HED_API int64_t hed_array_refs(const hed_array *x);        /* references to the handle, for tests */

/* Pointer to element [0, 0, ...] of an array in host memory after waiting for it; NULL with HED_E_MISMATCH set
 * for arrays elsewhere. Valid while the array lives. The caller keeps to hed_array_is_read_only(). */
HED_API void *hed_array_data(const hed_array *x);

/* The single element of an array of size 1, converted: to a double (of complex numbers the real part), both parts, or an
 * int64_t or uint64_t, cut towards 0. HED_E_SHAPE for other sizes; HED_E_RANGE for an integer that is NaN, not real or beyond
 * what *OUT holds. */
HED_API hed_status hed_item(const hed_array *x, double *out);
HED_API hed_status hed_item_complex(const hed_array *x, double out[2]);
HED_API hed_status hed_item_int(const hed_array *x, int64_t *out);
HED_API hed_status hed_item_uint(const hed_array *x, uint64_t *out);

/* ---- scopes: arrays made in the block are released at its end unless handed to hed_keep ---- */

typedef struct hed_scope {
  uint64_t cookie;
  struct hed_scope_state_ *state;
} hed_scope;

/* The functions behind HED_SCOPE. Scopes of one thread nest; end releases what begin's scope still holds, and
 * is idempotent. */
HED_API hed_status hed_scope_begin(hed_scope *out);
HED_API void hed_scope_end(hed_scope *s);

/* Take X out of the innermost scope that holds it: the caller owns it. Returns X. */
HED_API hed_array *hed_keep(hed_array *x);

#ifdef HED_BLOCKS_
static inline hed_scope hed_scope_begin_(void)
{
  hed_scope s = { 0, NULL };
  if (hed_scope_begin(&s) != HED_OK)
    s.cookie = 0;
  return s;
}
/* HED_SCOPE { ... }; break and continue leave it. Eight scopes in each other need no memory; beyond that, or without any for the
 * thread, the block is skipped, or HED_SCOPE_OR runs its statement: HED_SCOPE_OR(return hed_error()) { ... } */
#  define HED_SCOPE_(s, runs) \
    for (hed_scope s __attribute__((cleanup(hed_scope_end))) = hed_scope_begin_(), *s##_ = &s; s##_ && (runs); s##_ = NULL)
#  define HED_SCOPE_TRY_(s) HED_SCOPE_(s, s.cookie)
#  define HED_SCOPE_ELSE_(s, action) HED_SCOPE_(s, HED_ELSE_(s.cookie, action))
#  define HED_SCOPE HED_SCOPE_TRY_(HED_NAME_(hed_scope_, __COUNTER__))
#  define HED_SCOPE_OR(action) HED_SCOPE_ELSE_(HED_NAME_(hed_scope_, __COUNTER__), action)
#endif

HED_END_DECLS

#endif
