// SPDX-License-Identifier: BSD-3-Clause
/* Bodies of public functions that a recording follows. L2.
 *
 * Such a function is written as hed_array *HED_BODY(take)(...). Its public name is a wrapper (build-aux/gen-calls.awk), which
 * jumps to the body, or notes the call when the thread records. A body without wrapper or a wrapper without body does not link.
 */
#ifndef HED_CORE_RECORD_BODY_H
#define HED_CORE_RECORD_BODY_H

#include <heddle.h>

#define HED_BODY(name) hed__body_##name
#include "core/record/bodies.inc"

#endif
