// SPDX-License-Identifier: BSD-3-Clause
/* Programs of lib/backends/device/kernels, run by themselves: built by OpenCL for its first device, given memory and arguments,
 * and launched. Nothing of the backends' own code takes part. */
#ifndef HED_TESTS_KERNELS_RUN_H
#define HED_TESTS_KERNELS_RUN_H

#include "tap.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef int64_t i64;
typedef uint64_t u64;
#define HED_PROGRAM 1 /* the types above are those of args.h */
#include "backends/device/kernels/args.h"
#undef HED_PROGRAM

/* Opens OpenCL; what is missing, or NULL. */
const char *run_open(void);
const char *run_device(void); /* its name */

/* The text of FAMILY for the compute type: DEFINES, a line each or NULL, then the headers that it needs. From malloc. */
char *run_source(const char *family, int compute, const char *defines);

typedef struct run_program run_program;
/* NULL when it does not build: says why. It may be of another test's: equal texts are built once. */
run_program *run_build(const char *family, int compute, const char *defines);

/* Host memory that a launch sees as the device's: what a kernel writes is there after run(). BYTES may be 0. The memory has guard
 * bytes on both sides, which run() looks at. */
void *run_memory(size_t bytes);
void run_forget(void); /* all memory */

enum { RUN_BLOCK = 64, RUN_POINTERS = 12 };

/* Launches ENTRY with N pointers into memory of run_memory and a struct, by GROUPS of RUN_BLOCK items; waits. */
bool run(run_program *p, const char *entry, i64 gx, i64 gy, i64 gz, int n, void *const *pointer, const void *args, size_t bytes);
#define RUN(p, entry, gx, gy, gz, args, ...)                                                                       \
  run(p, entry, gx, gy, gz, sizeof((void *[]){ __VA_ARGS__ }) / sizeof(void *), (void *const[]){ __VA_ARGS__ }, args, \
      sizeof *(args))

/* Groups for N items. */
static inline i64 run_groups(i64 n) { return (n + RUN_BLOCK - 1) / RUN_BLOCK; }

#endif
