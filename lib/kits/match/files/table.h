// SPDX-License-Identifier: BSD-3-Clause
/* Tables that are made from tables.  Layer: L4, match kit, internal. */
#ifndef HEDDLE_KITS_MATCH_FILES_TABLE_H
#define HEDDLE_KITS_MATCH_FILES_TABLE_H
#include <heddle/kits/table.h>

/* Gives OUT, whose rows are FROM's in their order, what FROM keeps beside their numbers, copied. */
hed_status hed__table_carry(const char *op, const hed_table *from, hed_table *out);

#endif
