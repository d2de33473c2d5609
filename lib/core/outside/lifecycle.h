// SPDX-License-Identifier: BSD-3-Clause
/* See lifecycle.c. L2. */
#ifndef HED_CORE_LIFECYCLE_H
#define HED_CORE_LIFECYCLE_H

/* Connects the parts; runs when the library is loaded. Programs with a static copy of it must pull it in by name. */
void hed__lifecycle(void);

#endif
