// SPDX-License-Identifier: BSD-3-Clause
/* Archives whose arrays go into arrays that are there.
 *
 * Layer: L4, nn kit.
 */
#ifndef HED_KITS_NN_ENTRIES_H
#define HED_KITS_NN_ENTRIES_H
#include "kits/nn/lists.h"

/* Fill the N ARRAYS from the entries NAMES of the archive PATH. Every entry that is missing, or more than these, or of another shape
 * or dtype is listed (HED_E_FORMAT), and nothing is changed then. */
hed_status hed__train_read(const char *op, const char *path, int n, const char *const *names, hed_array *const *arrays);

#endif
