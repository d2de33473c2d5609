// SPDX-License-Identifier: BSD-3-Clause
/* Words from a list: which of them was probably meant. Thread-safe, without errors. */
#ifndef HEDDLE_WORDS_H
#define HEDDLE_WORDS_H

#include <heddle/export.h>
#include <stddef.h>

HED_BEGIN_DECLS

/* The one of NAMES ("copy, strict, follow"; blanks do not count) from which WORD differs least: by at most two letters, and by less
 * than half of them, whatever their case; two neighbours the other way round count as one. The place in NAMES and *LENGTH (NULL: not
 * wanted); NULL when none is near. */
HED_API const char *hed_nearest(const char *word, const char *names, size_t *length);
/* What to say of a WORD that is none of NAMES, into TEXT of SIZE bytes: "; did you mean 'copy'? There are copy, strict, follow".
 * Returns TEXT. */
HED_API const char *hed_choices(const char *word, const char *names, char *text, size_t size);

HED_END_DECLS

#endif
