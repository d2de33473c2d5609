// SPDX-License-Identifier: BSD-3-Clause
/* opencl: the port of the shared device layer (backends/device/device.h) to any OpenCL 1.2 device. L1.
 *
 *   load.c      platforms and devices of all drivers    memory.c   addresses of a reserved range, blocks behind them
 *   port.c      programs, launches, streams, events     info.c     what a device is and can do
 *   opencl.c    the module                              status.c   errors
 *   profile.c   what commands took
 */
#ifndef HED_OPENCL_H
#define HED_OPENCL_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include "backends/device/device.h"

enum {
  OCL_STREAMS = 128,           /* of a device: a kernel object for each */
  OCL_TEXT = 128
};

/* A queue; kernels are launched with objects of its own, as their arguments are not one thread's to set. */
typedef struct ocl_stream {
  cl_command_queue queue;
  int32_t slot;                /* below OCL_STREAMS */
  bool timed;                  /* made while a profile was being taken: its commands have times */
} ocl_stream;

/* Part of a program, with an object for each stream that has used it. */
typedef struct ocl_entry {
  struct ocl_entry *next;
  cl_program program;
  cl_kernel kernel[OCL_STREAMS];
  char name[];
} ocl_entry;

typedef struct ocl_program {
  cl_program program;
  ocl_entry *entries;
} ocl_program;

/* Memory is addressed in cells, so that any address leads to its block in one step. */
typedef struct ocl_cell {
  cl_mem mem;                  /* NULL: nothing is there */
  uint32_t first;              /* cell at which the block begins */
} ocl_cell;

typedef struct ocl_pinned {
  struct ocl_pinned *next;
  void *p;
  cl_mem mem;
} ocl_pinned;

typedef struct ocl_device {
  const hed_host_api *host;
  cl_platform_id platform;
  cl_device_id id;
  cl_context context;
  cl_command_queue setup;      /* for mapping pinned memory */
  dev_limits limits;
  dev_fault said, *fault;      /* FAULT: where it is, for functions that change nothing else */
  char name[24];               /* as programs say it, "opencl:0" */
  char title[OCL_TEXT], platform_name[OCL_TEXT], driver[OCL_TEXT];
  char *identity;
  pthread_mutex_t lock;        /* of what follows */
  char *base;                  /* of the address range */
  ocl_cell *cell;
  uint32_t next_cell;
  uint64_t used;
  ocl_pinned *pinned;
  bool slot_used[OCL_STREAMS];
  dev_times times;
} ocl_device;

/* A call's CODE as a status, with a text that names WHAT was tried. HED_E_UNAVAILABLE where the device is lost. */
int32_t ocl_status(const ocl_device *dev, cl_int code, const char *what);
const char *ocl_error_name(cl_int code);

/* ---- profile.c: times of commands, for profiles ---- */
/* Are times of S's commands wanted? Then EVENT, which the command made, is to be given to ocl_time. */
bool ocl_times(const ocl_device *dev, const ocl_stream *s);
void ocl_time(ocl_device *dev, const ocl_stream *s, cl_event event, const char *name);
/* When the device is opened. */
void ocl_times_init(ocl_device *dev);

/* ---- load.c ---- */
/* Devices of all platforms, GPUs first, in an order that stays; their number. OUT may be NULL. *CODE: why some may lack. */
int32_t ocl_devices(cl_device_id *out, int32_t cap, cl_int *code);
/* Why there are none. */
void ocl_no_devices(char *why, size_t cap);
/* Is a driver installed? Looks at files only. */
bool ocl_installed(char *why, size_t cap);

/* ---- info.c ---- */
int32_t ocl_info(ocl_device *dev);
void ocl_limits(void *dev, dev_limits *out);
const char *ocl_identity(void *dev);
void ocl_describe(void *dev, char *buf, size_t cap);

/* ---- memory.c ---- */
bool ocl_memory_init(ocl_device *dev);
int32_t ocl_alloc(void *dev, size_t bytes, void **out);
void ocl_free(void *dev, void *p);
int32_t ocl_memset(void *dev, void *stream, void *p, int byte, size_t bytes);
int32_t ocl_copy(void *dev, void *stream, void *to, const void *from, size_t bytes, dev_copy_kind kind, bool wait);
int32_t ocl_pinned_alloc(void *dev, size_t bytes, void **out);
void ocl_pinned_free(void *dev, void *p);
int32_t ocl_memory(void *dev, hed_plugin_memory *out);
int32_t ocl_owns(void *dev, const void *p, size_t bytes);
/* The block that P is in, and how far. NULL where there is none. */
cl_mem ocl_block(ocl_device *dev, const void *p, cl_long *offset);

extern const dev_port ocl_port;

#endif
