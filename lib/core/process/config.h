// SPDX-License-Identifier: BSD-3-Clause
/* Configuration: environment over the user's file over the system's file, each setting with its source. L2.
 *
 * Read once, on first use. A setting that cannot be honoured is reported with its source where it is used.
 */
#ifndef HED_CORE_CONFIG_H
#define HED_CORE_CONFIG_H

#include <heddle/error.h>
#include <heddle/runtime.h>
#include <stdbool.h>
#include <stddef.h>

enum {
  HED__SET_BACKEND, HED__SET_DEVICE, HED__SET_NUM_THREADS, HED__SET_DISABLE, HED__SET_PLUGIN_PATH, HED__SET_CACHE_DIR,
  HED__SET_LOG, HED__SET_INHERIT, HED__SET_POOL, HED__SET_DEVICE_POOL, HED__SET_FFT, HED__SET_FFT_PLANS,
  HED__SET_TEAM, HED__SET_CHECK, HED__SET_PROFILE,
  HED__SETTINGS
};

/* Value in force, NULL when none. */
const char *hed__config_get(int setting);

/* Where it came from: "environment variable HEDDLE_BACKEND", "/etc/xdg/heddle/config line 3", "default". */
const char *hed__config_source(int setting);

/* HED_OK, or the failure found while reading the files (set as the thread's error again each time): an unknown key, a
 * line that is not KEY = VALUE, a value that is not valid. */
hed_status hed__config_check(void);

/* HEDDLE_NUM_THREADS as a number, 0 when not set or not valid (hed__config_check says so). */
int hed__config_num_threads(void);

/* HEDDLE_POOL and HEDDLE_DEVICE_POOL in MiB, -1 when not set or not valid. */
long hed__config_pool(void);
long hed__config_device_pool(void);

/* What contexts start from, by the settings fft and check: a hed_effort, planning rigour, and a hed_check. */
int32_t hed__config_effort(void);
int32_t hed__config_failures(void);

/* Value of the setting called NAME; NULL when there is none. */
const char *hed__config_by_name(const char *name);

/* The user's own folder of caches, $XDG_CACHE_HOME/heddle or ~/.cache/heddle; false where neither is an absolute path, or no room. */
bool hed__config_cache_home(char *path, size_t cap);

/* Is NAME among the names of HEDDLE_DISABLE? */
bool hed__config_disabled(const char *name);

#endif
