// SPDX-License-Identifier: BSD-3-Clause
/* Records of FILE.raw as a trace. L2. */
#ifndef HED_CORE_PROFILE_WRITE_H
#define HED_CORE_PROFILE_WRITE_H

#include <heddle/error.h>
#include "core/profile/sink.h"

/* HED_E_IO or HED_E_FORMAT with the error set. */
hed_status hed__write_trace(const char *raw, const char *path);

#endif
