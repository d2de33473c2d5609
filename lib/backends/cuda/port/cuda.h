// SPDX-License-Identifier: BSD-3-Clause
/* cuda: NVIDIA devices, through the driver's interface. L1.
 *
 * What a backend for devices does is in ../device, which knows no driver; here is its port, and the vendor's libraries. Nothing
 * of them is linked: everything is opened at run time, so that one module serves machines with and without.
 *
 *   cuda.c    the module: probe, devices, entry         nvrtc.c   programs: text -> cubin -> module
 *   load.c    libraries opened, by find.c               cufft.c cublas.c cublaslt.c cusolver.c
 *   port.c    memory, copies, streams, events, launches abi.h libraries.h  their functions and values, declared
 *   handles.c what these have for a stream              current.c the context of a call, errors
 *   profile.c what commands took
 *   compile.c text -> cubin, by NVRTC                   installed.c  cubins that precompile.c made when Heddle was built
 *   rows.h    rows of the table that libraries do: fft.c matmul.c; factor.h: factorisations
 *
 * The device's primary context is used, which the program's other libraries use as well; its flags stay as they are and it is
 * never reset. Every function here may be called with any context current, and leaves it so.
 */
#ifndef HED_BACKENDS_CUDA_CUDA_H
#define HED_BACKENDS_CUDA_CUDA_H

#include "backends/cuda/port/installed.h"
#include "backends/cuda/port/load.h"
#include "backends/device/device.h"

typedef struct cuda_handle cuda_handle;

/* A stream, and what the libraries have for it once they have worked in it. Used by one thread at a time. */
typedef struct cuda_stream {
  CUstream of;
  int32_t number;                  /* of the device's streams, from 0 */
  cuda_handle *blas, *lt, *solver; /* of cuBLAS, cuBLASLt and cuSOLVER */
} cuda_stream;

typedef struct cuda_plan cuda_plan;

typedef struct cuda_device {
  const hed_host_api *host;
  const cuda_driver *cu;
  int32_t index;           /* as Heddle counts; */
  CUdevice device;         /* as the driver does */
  CUcontext context;       /* the primary one, retained for good */
  int architecture;        /* 10 * major + minor of the compute capability */
  int units;
  uint64_t memory, shared;
  char name[96], identity[400], said_as[24]; /* SAID_AS: as programs do, "cuda:0" */
  pthread_mutex_t lock;
  cuda_plan *plans;        /* of transforms; LOCK */
  cuda_installed installed, installed_ptx; /* programs of its architecture, and for any; LOCK */
  dev_fault said, *fault;  /* FAULT: where it is, for functions that change nothing else */
  int32_t n_streams;       /* so far; LOCK */
  dev_times times;
  CUevent since;           /* one that is over, and the device's time then; LOCK */
  uint64_t since_ns;
  uint32_t peers, no_peers; /* devices whose memory can be reached, or cannot; LOCK */
} cuda_device;

extern const dev_port cuda_port;

/* ---- for the files that make up the port ---- */

/* The device's context becomes current until cuda_leave; *PUSHED says whether it was not. */
int32_t cuda_enter(const cuda_device *d, bool *pushed);
void cuda_leave(const cuda_device *d, bool pushed);
/* The status for ERROR of the driver, from the function WHAT, with its text. HED_OK for success. */
int32_t cuda_check(const cuda_device *d, unsigned error, const char *what);
/* The same where nobody is told: whether the device is lost. */
void cuda_note(const cuda_device *d, unsigned error, const char *what);

int32_t cuda_build(void *dev, const char *source, size_t bytes, void **program, char *log, size_t cap);
int32_t cuda_load(void *dev, const void *binary, size_t bytes, void **program);
int32_t cuda_binary_of(void *dev, void *program, void **binary, size_t *bytes);
const void *cuda_installed_image(void *dev, const unsigned char key[32], size_t *bytes);
int32_t cuda_entry(void *dev, void *program, const char *name, void **entry);

/* A part of a program, as launch takes it. */
typedef struct cuda_entry_point {
  struct cuda_entry_point *next;
  CUfunction function;
  char name[];
} cuda_entry_point;

/* ---- profile.c: times of commands, for profiles ---- */
/* Of what is submitted to STREAM between the two calls; NULL, which end takes: they are not wanted. The device's context is
 * current. */
CUevent cuda_time_begin(cuda_device *d, const cuda_stream *stream);
void cuda_time_end(cuda_device *d, const cuda_stream *stream, CUevent begun, const char *name);
/* What is over by now is told of. No context need be current. */
void cuda_times_tell(cuda_device *d);
void cuda_times_init(cuda_device *d);

int32_t cuda_alloc(void *dev, size_t bytes, void **out);
void cuda_free(void *dev, void *p);

typedef struct cuda_fft_spec { /* contiguous, batches outside; Hermitian half along the last axis for real types */
  int32_t rank;
  int64_t n[3];                /* extents of the transform, outermost first */
  int64_t batch;
  int32_t dtype;               /* COMPLEX64, COMPLEX128: complex to complex; FLOAT32, FLOAT64: real and half complex */
  int32_t sign;                /* -1 forward (real to complex), +1 inverse (complex to real) */
} cuda_fft_spec;

typedef struct cuda_gemm_spec { /* C (m, n) = A (m, k) B (k, n), row-major, BATCH of them */
  int32_t dtype;
  bool tf32;                   /* of float32 and complex64: factors may be rounded */
  int64_t m, n, k, batch;
  bool transpose_a, transpose_b;             /* stored the other way round */
  int64_t lda, ldb, ldc;                     /* elements from row to row as stored */
  int64_t stride_a, stride_b, stride_c;      /* elements from one of the batch to the next */
  void *a, *b, *c;
} cuda_gemm_spec;

int32_t cuda_fft_make(void *dev, const cuda_fft_spec *spec, void **plan);
/* WORK: cuda_fft_bytes() of device memory, aligned to 256, until the stream is through. One thread at a time. */
int32_t cuda_fft_run(void *dev, void *stream, void *plan, void *work, void *in, void *out);
void cuda_fft_free(void *dev, void *plan);
size_t cuda_fft_bytes(const void *plan);
/* STREAM's handle of cuBLAS, which is there; the device's context is current. */
int32_t cuda_blas_handle(cuda_device *d, cuda_stream *stream, cublasHandle_t *out);
/* What STREAM has of libraries goes. Nothing of it is in use. */
void cuda_handles_drop(cuda_device *d, cuda_stream *stream);
/* The product by cuBLAS, or by cuBLASLt: by which of them, where both are there, the files say. HED_E_UNSUPPORTED: by neither. */
int32_t cuda_lt_gemm(void *dev, void *stream, const cuda_gemm_spec *spec);
int32_t cuda_gemm(void *dev, void *stream, const cuda_gemm_spec *spec);

#endif
