// SPDX-License-Identifier: BSD-3-Clause
/* Programs on disk. L1. Nothing fails but to find or to keep something. */
#ifndef HED_DEVICE_CACHE_H
#define HED_DEVICE_CACHE_H

#include "backends/device/runtime/runtime.h"

/* Is there a folder for them? */
bool dev_cache_is_set(const dev_device *d);
/* The hash of BYTES at TEXT. */
void dev_text_key(const void *text, size_t bytes, unsigned char key[32]);
/* What SOURCE, built for D, is known by. */
void dev_cache_key(const dev_device *d, const char *source, size_t bytes, unsigned char key[32]);
/* The binary of KEY, from the host's alloc; NULL where there is none. */
void *dev_cache_read(const dev_device *d, const unsigned char key[32], size_t *bytes);
void dev_cache_write(const dev_device *d, const unsigned char key[32], const void *payload, size_t bytes);
/* What was read was of no use. */
void dev_cache_forget(const dev_device *d, const unsigned char key[32]);
/* Those that were not used for longest go, where there are more bytes than may be. */
void dev_cache_tidy(const dev_device *d);

#endif
