// SPDX-License-Identifier: BSD-3-Clause
/* A plug-in's numbers of operations and ours, matched by name once, when it is loaded. L2.
 *
 * An operation's number is its index in the list that a binary was built with. hed__row.number is the plug-in's, for calls
 * and fused steps; what a plug-in reports by number comes back through hed__numbers_ours.
 */
#ifndef HED_CORE_OP_NUMBERS_H
#define HED_CORE_OP_NUMBERS_H

#include <heddle/backend.h>
#include <stddef.h>

typedef struct hed__numbers {
  int32_t n;                      /* operations of the plug-in */
  int16_t theirs[HED_OP_COUNT_];  /* its number of ours, -1: it has none */
  int16_t ours[];                 /* our number of its, -1: we have none */
} hed__numbers;

/* NUMBERS for P, kept for ever. NULL with the status and a sentence in WHY. */
hed__numbers *hed__numbers_make(const hed_plugin *p, hed_status *status, char *why, size_t cap);

/* Our number of the plug-in's operation NUMBER, -1: we have none. */
static inline int hed__numbers_ours(const hed__numbers *m, int32_t number)
{
  return number >= 0 && number < m->n ? m->ours[number] : -1;
}

/* The list that plug-ins of minor 2 and less were built with, which give no names: in order, several to a line, separated by
 * spaces; NULL after the last line. */
extern const char *const hed__names_of_minor_2[];

#endif
