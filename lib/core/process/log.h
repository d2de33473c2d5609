// SPDX-License-Identifier: BSD-3-Clause
/* The log: messages go to the host's callback or nowhere. L2. */
#ifndef HED_CORE_LOG_H
#define HED_CORE_LOG_H

#include <heddle/runtime.h>

void hed__log(hed_log_level level, const char *subsystem, const char *format, ...) HED_PRINTF(3, 4);
void hed__log_fork_child(void);

#endif
