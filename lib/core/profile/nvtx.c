// SPDX-License-Identifier: BSD-3-Clause
/* NVTX without its headers and without a library of it: a tool (Nsight Systems, Nsight Compute) names its library in
 * NVTX_INJECTION64_PATH. That one is opened and asked to initialize; it asks for tables of places for functions, by module, and puts
 * its own where it wants to be called. L2.
 *
 * The numbers are those of the interface between programs and tools, which is the same in all of version 3. */
#include "core/profile/nvtx.h"
#include "base/cancel.h"
#include "core/process/log.h"
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef void function(void);
enum { CORE = 1, MODULES = 7, MOST = 16 };                    /* modules, functions of one */
enum { MARK_A = 2, RANGE_PUSH_A = 9, RANGE_POP = 11 };        /* of CORE */
enum { CALLBACKS = 1, VERSION_INFO = 3, VERSION = 3 };        /* tables that a tool asks for */

static function *slot[MODULES][MOST];
static function **table[MODULES][MOST];
static const unsigned functions_of[MODULES] = { 0, 16, 9, 15, 7, 16, 7 }; /* CORE, CUDA, OPENCL, CUDART, CORE2, SYNC */

bool hed__nvtx_listens;
static void (*mark)(const char *);
static int (*range_push)(const char *);
static int (*range_pop)(void);

static int module_table(int module, function ****out, unsigned *size)
{
  if (module < CORE || module >= MODULES)
    return 0;
  for (unsigned k = 1; k < functions_of[module]; k++)
    table[module][k] = &slot[module][k];
  if (out)
    *out = table[module];
  if (size)
    *size = functions_of[module];
  return 1;
}

static void tools_version(uint32_t version) { (void)version; }

static const void *export_table(uint32_t id)
{
  static const struct {
    size_t size;
    int (*module_table)(int, function ****, unsigned *);
  } callbacks = { sizeof callbacks, module_table };
  static const struct {
    size_t size;
    uint32_t version, pad;
    void (*set)(uint32_t);
  } info = { sizeof info, VERSION, 0, tools_version };
  return id == CALLBACKS ? (const void *)&callbacks : id == VERSION_INFO ? &info : NULL;
}

void hed__nvtx_load(void)
{
  const char *path = secure_getenv(sizeof(void *) == 4 ? "NVTX_INJECTION32_PATH" : "NVTX_INJECTION64_PATH");
  int (*initialize)(const void *(*)(uint32_t)) = NULL;
  if (!path || !*path)
    return;
  void *tool = dlopen(path, RTLD_LAZY);
  if (tool)
    *(void **)&initialize = dlsym(tool, "InitializeInjectionNvtx2");
  if (!initialize || !initialize(export_table)) {
    hed__log(HED_LOG_WARN, "nvtx", "the tool in %.300s %s", path, !tool ? "cannot be opened" : !initialize ? "knows no NVTX"
             : "does not want to listen");
    return;
  }
  mark = (void (*)(const char *))slot[CORE][MARK_A];
  range_push = (int (*)(const char *))slot[CORE][RANGE_PUSH_A];
  range_pop = (int (*)(void))slot[CORE][RANGE_POP];
  hed__nvtx_listens = mark || (range_push && range_pop);
}

/* A tool may write, which ends a thread that is cancelled; it is in the midst of an operation. */

void hed__nvtx_range_begin(const char *name)
{
  HED__UNCANCELLED;
  if (range_push && range_pop)
    (void)range_push(name);
}

void hed__nvtx_range_end(void)
{
  HED__UNCANCELLED;
  if (range_push && range_pop)
    (void)range_pop();
}

void hed__nvtx_mark(const char *name)
{
  HED__UNCANCELLED;
  if (mark)
    mark(name);
}
