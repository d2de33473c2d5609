// SPDX-License-Identifier: BSD-3-Clause
/* A driver, NVRTC and libraries of CUDA for tests, on a machine without a GPU: on top of OpenCL, FFTW and LAPACK.
 *
 * The cuda module opens these libraries in place of the vendor's and runs its own code, all of it. Two devices, which are one
 * OpenCL device underneath. A stream is a thread that does what was put into it in order; a module's image is the text of the
 * program, of which OpenCL's half is compiled; memory is host memory whose addresses, as the program sees them, cannot be
 * followed.
 *
 *   device.c  devices, contexts, what fails     memory.c  blocks, copies     nvrtc.c   the image is the text
 *   stream.c  streams and events                module.c  programs, kernels  cufft.c cublas.c cublaslt.c cusolver.c
 *
 * Environment: CUDASHIM_VERSION (of CUDA, 13000), CUDASHIM_INIT (cuInit's error), CUDASHIM_DEVICES (2), CUDASHIM_CAPABILITY (90),
 * CUDASHIM_MEMORY (MiB of a device, 1024), CUDASHIM_LACKS (a function that there is not), CUDASHIM_FAIL ("N CODE": the N-th call
 * fails), CUDASHIM_TRACE (1: names of the calls, on standard error).
 */
#ifndef HED_TESTS_CUDASHIM_SHIM_H
#define HED_TESTS_CUDASHIM_SHIM_H

#include "backends/cuda/port/libraries.h"
#include <heddle/export.h>
#include <pthread.h>
#include <stdbool.h>

enum { MOST_DEVICES = 16 };

typedef struct block {
  struct block *next;
  size_t offset, bytes;
  void *buffer;                /* OpenCL's, of the memory */
} block;

struct CUctx_st {
  int device, retained;
  char *address, *memory;      /* what the program sees; what is there */
  size_t bytes, used;
  block *blocks;               /* in order of address */
  CUstream streams, standard;  /* all; the default one */
  unsigned error;              /* once it is lost */
  bool peers[MOST_DEVICES];
};

/* ---- device.c ---- */
extern pthread_mutex_t shim_lock; /* of everything */
extern pthread_cond_t shim_changed;
extern struct CUctx_st shim_context[MOST_DEVICES];

HED_API int shim_setting(const char *name, int otherwise);
/* Counts a call of the driver or of a library; the error that it is to give, 0: none. */
HED_API unsigned shim_call(const char *name);
/* The calling thread's, NULL when it has none. */
CUcontext shim_current(void);

/* The beginning of every function: counted, and with a context that is not lost. */
#define CALL() \
  do { \
    const unsigned error_ = shim_call(__func__); \
    if (error_) \
      return error_; \
  } while (0)
/* The same of libraries, whose errors are others: ALLOC_FAILED for the driver's error of no memory, OTHER for the rest. */
#define LIBRARY_CALL(alloc_failed, other) \
  do { \
    const unsigned error_ = shim_call(__func__); \
    if (error_) \
      return error_ == NV_CUDA_ERROR_OUT_OF_MEMORY ? (alloc_failed) : (other); \
  } while (0)
#define CALL_IN(context) \
  CUcontext context = shim_current(); \
  CALL(); \
  if (!context) \
    return NV_CUDA_ERROR_INVALID_CONTEXT; \
  if (context->error) \
    return context->error

/* ---- stream.c ---- */
/* RUN gets a copy of the BYTES at ARG when its turn comes; an error of its loses the context. STREAM: as the driver's functions
 * take one. */
HED_API unsigned shim_submit(CUstream stream, unsigned (*run)(void *arg), const void *arg, size_t bytes);
/* Until STREAM is empty; its context's error. */
unsigned shim_await(CUstream stream);
/* The lock is held: until all streams of CONTEXT are empty. */
void shim_drain(CUcontext context);

/* ---- memory.c ---- */
/* The memory at ADDRESS, with BYTES of it in one block; NULL when it is not the device's of CONTEXT. */
HED_API void *shim_memory(CUcontext context, CUdeviceptr address, size_t bytes);
/* The block's buffer, and the offset in it. */
void *shim_buffer(CUcontext context, CUdeviceptr address, size_t *offset);
/* Bytes of the block that ADDRESS is in, and where it begins; 0: there is none. */
size_t shim_block(CUcontext c, CUdeviceptr address, size_t *begin);
/* The context of a stream, as the driver's functions take one. */
HED_API CUcontext shim_context_of(CUstream stream);

/* ---- module.c ---- */
void *shim_buffer_make(void *memory, size_t bytes);
void shim_buffer_free(void *buffer);

/* ---- for tests, by dlsym ---- */
/* The N-th call from now of the function NAME (NULL: of any) fails with CODE; N 0: none. An error that ends a context does. */
HED_API void driver_fail(const char *name, int n, unsigned code);
HED_API int driver_calls(void);
HED_API const char *driver_failed(void); /* the function that did; NULL: none yet */
HED_API const char *driver_name(int k);  /* of the driver's functions, NULL at the end */
HED_API int cudashim_depth(void); /* contexts on the calling thread's stack */

#endif
