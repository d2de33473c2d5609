// SPDX-License-Identifier: BSD-3-Clause
/* The control groups that this process is in. L2. */
#ifndef HED_CORE_CGROUP_H
#define HED_CORE_CGROUP_H

#include <stdbool.h>

/* What stands before /proc and /sys here; tests set up their own. Up to 128 characters. */
extern const char *hed__cgroup_root;

/* Call FN for the folder of each group, from the process's own up to the root that it sees, that rations CONTROLLER
 * ("cpu", "memory"); version 2 and version 1. */
void hed__cgroup_each(const char *controller, void (*fn)(void *arg, const char *folder), void *arg);

/* Up to two numbers from file NAME in FOLDER (B may be NULL); false when it cannot be read ("max" is not a number). */
bool hed__cgroup_numbers(const char *folder, const char *name, long long *a, long long *b);

#endif
