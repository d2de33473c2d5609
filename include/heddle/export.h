// SPDX-License-Identifier: BSD-3-Clause
/* Attributes of public declarations. Included by every public header; includes nothing.
 *
 * HED_API       exported from libheddle; everything else is hidden
 * HED_MUST      the result must not be dropped
 * HED_NEW       both: what it returns is the caller's to release (HED_SCOPE does), so to drop it is a mistake
 * HED_DEPRECATED  goes one day: the release that said so first, and what serves instead
 * HED_PRINTF    argument positions of a printf-like function
 *
 * With HED_PLAIN_HEADERS defined the headers preprocess to declarations of ISO C alone, for generators that read them: no
 * attributes, blocks, inline functions and other names, and nothing that takes a FILE or a pthread_t.
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

#if defined(__GNUC__) && !defined(HED_PLAIN_HEADERS)
#  define HED_BLOCKS_ /* statements with a block: HED_SCOPE { } and others */
#  define HED_API __attribute__((visibility("default")))
#  define HED_MUST __attribute__((warn_unused_result))
#  define HED_NEW HED_API HED_MUST
#  define HED_DEPRECATED(since, instead) __attribute__((deprecated("since " since ", use " instead)))
#  define HED_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#  define HED_API
#  define HED_MUST
#  define HED_NEW
#  define HED_DEPRECATED(since, instead)
#  define HED_PRINTF(fmt, args)
#endif

#endif
