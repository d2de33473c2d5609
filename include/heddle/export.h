// SPDX-License-Identifier: BSD-3-Clause
/* Attributes of public declarations. Included by every public header; includes nothing.
 *
 * HED_API       exported from libheddle; everything else is hidden
 * HED_MUST      the result must not be dropped
 * HED_PRINTF    argument positions of a printf-like function
 */
#ifndef HEDDLE_EXPORT_H
#define HEDDLE_EXPORT_H

#ifdef __cplusplus
#  define HED_BEGIN_DECLS extern "C" {
#  define HED_END_DECLS }
#else
#  define HED_BEGIN_DECLS
#  define HED_END_DECLS
#endif

#if defined(__GNUC__)
#  define HED_API __attribute__((visibility("default")))
#  define HED_MUST __attribute__((warn_unused_result))
#  define HED_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#  define HED_API
#  define HED_MUST
#  define HED_PRINTF(fmt, args)
#endif

#endif
