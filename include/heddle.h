// SPDX-License-Identifier: BSD-3-Clause
/* Heddle: per-thread backend state with a context stack. The whole interface for programs; plug-ins include
 * <heddle/backend.h>, generators of bindings <heddle/reflect.h>, jobs have headers of their own in <heddle/kits/>.
 *
 *   error.h    status codes and sentences        thread.h   children, snapshots, permits
 *   dtype.h    element types                     array.h    arrays, scopes
 *   context.h  specs and the context stack       ops.h      operations (list: ops.def)
 *   runtime.h  backends, configuration, log      io.h       files of arrays
 *   dlpack.h   exchange with libraries           shared.h   arrays in shared memory
 *   memory.h   use, pools, limits                device.h   devices and what they can do
 *   print.h    arrays as text
 *   fuse.h     several operations in one pass
 *   grad.h     derivatives of what a thread has called
 *   program.h  the calls of a function, made again
 *   profile.h  what every thread did, and what it waited for
 */
#ifndef HEDDLE_H
#define HEDDLE_H

#include <heddle/array.h>
#include <heddle/context.h>
#include <heddle/device.h>
#include <heddle/dlpack.h>
#include <heddle/dtype.h>
#include <heddle/error.h>
#include <heddle/fuse.h>
#include <heddle/grad.h>
#include <heddle/io.h>
#include <heddle/memory.h>
#include <heddle/ops.h>
#include <heddle/print.h>
#include <heddle/profile.h>
#include <heddle/program.h>
#include <heddle/runtime.h>
#include <heddle/shared.h>
#include <heddle/thread.h>
#include <heddle/version.h>

#endif
