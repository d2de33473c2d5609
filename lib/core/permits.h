// SPDX-License-Identifier: BSD-3-Clause
/* Thread permits from inside. L2. The public half is in <heddle/thread.h>. */
#ifndef HED_CORE_PERMITS_H
#define HED_CORE_PERMITS_H

#include <heddle/thread.h>

/* hed_thread_capacity() as of the last call that looked, without a system call. */
int hed__capacity_last(void);

/* In the child of a fork the holders are gone. */
void hed__permits_fork_child(void);

#endif
