// SPDX-License-Identifier: BSD-3-Clause
/* Caches of the library and of plug-ins, known by name: counted for hed_cache_list, emptied by one call. L2.
 *
 * An owner fills in a hed_cache (<heddle/backend.h>) once, with static storage, and registers it when the cache is first used;
 * plug-ins do it through hed_host_api.cache_register. The list only grows, so it is read without a lock. The owner's
 * functions take the owner's locks; none of this file is held meanwhile.
 */
#ifndef HED_CORE_CACHE_H
#define HED_CORE_CACHE_H

#include <heddle/kernel.h>

/* Adds C; doing it again, from any thread, is harmless. */
void hed__cache_register(hed_cache *c);

/* Asks one cache after the other to release what nobody uses, until WANT bytes (SIZE_MAX: everything) are reached;
 * returns the bytes released. */
size_t hed__caches_trim(size_t want);

/* In the child of a fork: owners make their locks usable. */
void hed__caches_fork_child(void);

#endif
