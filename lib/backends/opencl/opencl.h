// SPDX-License-Identifier: BSD-3-Clause
/* opencl: the port of the shared device layer (backends/device/device.h) to any OpenCL 1.2 device. L1.
 *
 *   load.c      platforms and devices of all drivers    memory.c   addresses of a reserved range, blocks behind them
 *   port.c      programs, launches, streams, events     info.c     what a device is and can do
 *   opencl.c    the module                              status.c   errors
 */
#ifndef HED_OPENCL_H
#define HED_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "backends/device/device.h"

enum {
  HED__CL_STREAMS = 128,       /* of a device: a kernel object for each */
  HED__CL_TEXT = 128
};

/* A queue; kernels are launched with objects of its own, as their arguments are not one thread's to set. */
typedef struct hed__cl_stream {
  cl_command_queue queue;
  int32_t slot;                /* below HED__CL_STREAMS */
} hed__cl_stream;

/* Part of a program, with an object for each stream that has used it. */
typedef struct hed__cl_entry {
  struct hed__cl_entry *next;
  cl_program program;
  cl_kernel kernel[HED__CL_STREAMS];
  char name[];
} hed__cl_entry;

typedef struct hed__cl_program {
  cl_program program;
  hed__cl_entry *entries;
} hed__cl_program;

/* Memory is addressed in cells, so that any address leads to its block in one step. */
typedef struct hed__cl_cell {
  cl_mem mem;                  /* NULL: nothing is there */
  uint32_t first;              /* cell at which the block begins */
} hed__cl_cell;

typedef struct hed__cl_pinned {
  struct hed__cl_pinned *next;
  void *p;
  cl_mem mem;
} hed__cl_pinned;

typedef struct hed__cl_device {
  const hed_host_api *host;
  cl_platform_id platform;
  cl_device_id id;
  cl_context context;
  cl_command_queue setup;      /* for mapping pinned memory */
  hed__limits limits;
  char name[HED__CL_TEXT], platform_name[HED__CL_TEXT], driver[HED__CL_TEXT];
  char *identity;
  pthread_mutex_t lock;        /* of what follows */
  char *base;                  /* of the address range */
  hed__cl_cell *cell;
  uint32_t next_cell;
  uint64_t used;
  hed__cl_pinned *pinned;
  bool slot_used[HED__CL_STREAMS];
} hed__cl_device;

/* A call's CODE as a status, with a text that names WHAT was tried. HED_E_UNAVAILABLE where the device is lost. */
int32_t hed__cl_status(const hed__cl_device *dev, cl_int code, const char *what);

/* ---- load.c ---- */
/* Devices of all platforms, GPUs first, in an order that stays; their number. OUT may be NULL. */
int32_t hed__cl_devices(cl_device_id *out, int32_t cap);
/* Why there are none. */
void hed__cl_no_devices(char *why, size_t cap);
/* Is a driver installed? Looks at files only. */
bool hed__cl_installed(char *why, size_t cap);

/* ---- info.c ---- */
int32_t hed__cl_info(hed__cl_device *dev);
void hed__cl_limits(void *dev, hed__limits *out);
const char *hed__cl_identity(void *dev);
void hed__cl_describe(void *dev, char *buf, size_t cap);

/* ---- memory.c ---- */
bool hed__cl_memory_init(hed__cl_device *dev);
int32_t hed__cl_alloc(void *dev, size_t bytes, void **out);
void hed__cl_free(void *dev, void *p);
int32_t hed__cl_memset(void *dev, void *stream, void *p, int byte, size_t bytes);
int32_t hed__cl_copy(void *dev, void *stream, void *to, const void *from, size_t bytes, hed__copy_kind kind, bool wait);
int32_t hed__cl_pinned_alloc(void *dev, size_t bytes, void **out);
void hed__cl_pinned_free(void *dev, void *p);
int32_t hed__cl_memory(void *dev, hed_plugin_memory *out);
/* The block that P is in, and how far. NULL where there is none. */
cl_mem hed__cl_block(hed__cl_device *dev, const void *p, cl_long *offset);

extern const hed__port hed__cl_port;

#endif
