// SPDX-License-Identifier: BSD-3-Clause
/* cuda: what is used of the driver's interface and of NVRTC's, declared here, so that the module is built where no toolkit is. L1.
 *
 * Rows: name, for the driver the version of CUDA whose form of the function is meant, arguments. All return an enumeration of
 * unsigned int, 0 for success. Names, types and values are the vendor's, enumerators with NV_ before them; tests/cuda/abi.c
 * compares them with the vendor's headers. libraries.h does the same for cuFFT, cuBLAS and cuSOLVER.
 */
#ifndef HED_BACKENDS_CUDA_ABI_H
#define HED_BACKENDS_CUDA_ABI_H

#include <stddef.h>
#include <stdint.h>

typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef struct CUctx_st *CUcontext;
typedef struct CUmod_st *CUmodule;
typedef struct CUfunc_st *CUfunction;
typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef struct _nvrtcProgram *nvrtcProgram;

/* Enumerators: rows of name and value. */
#define CUDA_VALUES(V) \
  V(CUDA_SUCCESS, 0) V(CUDA_ERROR_INVALID_VALUE, 1) V(CUDA_ERROR_OUT_OF_MEMORY, 2) V(CUDA_ERROR_NOT_INITIALIZED, 3) \
  V(CUDA_ERROR_DEINITIALIZED, 4) V(CUDA_ERROR_CONTEXT_IS_DESTROYED, 709) \
  V(CUDA_ERROR_NO_DEVICE, 100) V(CUDA_ERROR_INVALID_DEVICE, 101) V(CUDA_ERROR_INVALID_IMAGE, 200) \
  V(CUDA_ERROR_INVALID_CONTEXT, 201) V(CUDA_ERROR_NO_BINARY_FOR_GPU, 209) V(CUDA_ERROR_NOT_FOUND, 500) \
  V(CUDA_ERROR_INVALID_HANDLE, 400) V(CUDA_ERROR_NOT_READY, 600) V(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, 704) \
  V(CUDA_ERROR_ILLEGAL_ADDRESS, 700) V(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, 701) V(CUDA_ERROR_LAUNCH_TIMEOUT, 702) \
  V(CUDA_ERROR_ASSERT, 710) V(CUDA_ERROR_HARDWARE_STACK_ERROR, 714) V(CUDA_ERROR_ILLEGAL_INSTRUCTION, 715) \
  V(CUDA_ERROR_MISALIGNED_ADDRESS, 716) V(CUDA_ERROR_INVALID_ADDRESS_SPACE, 717) V(CUDA_ERROR_INVALID_PC, 718) \
  V(CUDA_ERROR_LAUNCH_FAILED, 719) V(CUDA_ERROR_ECC_UNCORRECTABLE, 214) V(CUDA_ERROR_NVLINK_UNCORRECTABLE, 220) \
  V(CUDA_ERROR_DEVICE_UNAVAILABLE, 46) V(CUDA_ERROR_CONTAINED, 226) V(CUDA_ERROR_UNKNOWN, 999) \
  V(CU_STREAM_NON_BLOCKING, 1) V(CU_EVENT_DISABLE_TIMING, 2) V(CU_MEMHOSTALLOC_PORTABLE, 1) \
  V(CU_GET_PROC_ADDRESS_DEFAULT, 0) V(CU_POINTER_ATTRIBUTE_MEMORY_TYPE, 2) V(CU_POINTER_ATTRIBUTE_IS_MANAGED, 8) \
  V(CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, 9) V(CU_MEMORYTYPE_DEVICE, 2) \
  V(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK, 8) V(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, 16) \
  V(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 75) V(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 76) \
  V(CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, 1) V(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES, 3) V(CU_FUNC_ATTRIBUTE_NUM_REGS, 4)

enum {
#define CUDA_VALUE(name, value) NV_##name = value,
  CUDA_VALUES(CUDA_VALUE)
#undef CUDA_VALUE
};

/* The two that are looked up by their name in the library's table of symbols: with them the others are. */
#define CUDA_FIRST(F) \
  F(cuDriverGetVersion, (int *version)) \
  F(cuGetProcAddress_v2, (const char *symbol, void **fn, int version, uint64_t flags, unsigned *status))

#define CUDA_DRIVER(F) \
  F(cuInit, 2000, (unsigned flags)) \
  F(cuGetErrorName, 6000, (unsigned error, const char **name)) \
  F(cuDeviceGetCount, 2000, (int *count)) \
  F(cuDeviceGet, 2000, (CUdevice *device, int ordinal)) \
  F(cuDeviceGetName, 2000, (char *name, int cap, CUdevice device)) \
  F(cuDeviceGetAttribute, 2000, (int *value, unsigned attribute, CUdevice device)) \
  F(cuDeviceTotalMem, 3020, (size_t *bytes, CUdevice device)) \
  F(cuDeviceCanAccessPeer, 4000, (int *yes, CUdevice device, CUdevice peer)) \
  F(cuDevicePrimaryCtxRetain, 7000, (CUcontext *context, CUdevice device)) \
  F(cuCtxEnablePeerAccess, 4000, (CUcontext peer, unsigned flags)) \
  F(cuCtxGetCurrent, 4000, (CUcontext *context)) \
  F(cuCtxPushCurrent, 4000, (CUcontext context)) \
  F(cuCtxPopCurrent, 4000, (CUcontext *context)) \
  F(cuMemGetInfo, 3020, (size_t *free, size_t *total)) \
  F(cuMemGetAddressRange, 3020, (CUdeviceptr *base, size_t *bytes, CUdeviceptr address)) \
  F(cuPointerGetAttribute, 4000, (void *value, unsigned attribute, CUdeviceptr address)) \
  F(cuMemAlloc, 3020, (CUdeviceptr *address, size_t bytes)) \
  F(cuMemFree, 3020, (CUdeviceptr address)) \
  F(cuMemHostAlloc, 2020, (void **address, size_t bytes, unsigned flags)) \
  F(cuMemFreeHost, 2000, (void *address)) \
  F(cuMemsetD8Async, 3020, (CUdeviceptr to, unsigned char value, size_t bytes, CUstream stream)) \
  F(cuMemcpyHtoDAsync, 3020, (CUdeviceptr to, const void *from, size_t bytes, CUstream stream)) \
  F(cuMemcpyDtoHAsync, 3020, (void *to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  F(cuMemcpyDtoDAsync, 3020, (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream)) \
  F(cuMemcpyPeerAsync, 4000, (CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes, \
                              CUstream stream)) \
  F(cuStreamCreate, 2000, (CUstream *stream, unsigned flags)) \
  F(cuStreamWaitEvent, 3020, (CUstream stream, CUevent event, unsigned flags)) \
  F(cuStreamQuery, 2000, (CUstream stream)) \
  F(cuStreamSynchronize, 2000, (CUstream stream)) \
  F(cuStreamGetCtx, 9020, (CUstream stream, CUcontext *context)) \
  F(cuEventCreate, 2000, (CUevent *event, unsigned flags)) \
  F(cuEventRecord, 2000, (CUevent event, CUstream stream)) \
  F(cuEventQuery, 2000, (CUevent event)) \
  F(cuEventSynchronize, 2000, (CUevent event)) \
  F(cuEventElapsedTime, 2000, (float *milliseconds, CUevent first, CUevent last)) \
  F(cuEventDestroy, 4000, (CUevent event)) \
  F(cuModuleLoadData, 2000, (CUmodule *module, const void *image)) \
  F(cuModuleGetFunction, 2000, (CUfunction *function, CUmodule module, const char *name)) \
  F(cuFuncGetAttribute, 2020, (int *value, unsigned attribute, CUfunction function)) \
  F(cuLaunchKernel, 4000, (CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, \
                           unsigned block_y, unsigned block_z, unsigned shared, CUstream stream, void **arguments, void **extra))

#define CUDA_NVRTC(F) \
  F(nvrtcVersion, (int *major, int *minor)) \
  F(nvrtcGetNumSupportedArchs, (int *n)) \
  F(nvrtcGetSupportedArchs, (int *archs)) \
  F(nvrtcCreateProgram, (nvrtcProgram *program, const char *source, const char *name, int n_headers, \
                         const char *const *headers, const char *const *names)) \
  F(nvrtcCompileProgram, (nvrtcProgram program, int n_options, const char *const *options)) \
  F(nvrtcDestroyProgram, (nvrtcProgram *program)) \
  F(nvrtcGetCUBINSize, (nvrtcProgram program, size_t *bytes)) \
  F(nvrtcGetCUBIN, (nvrtcProgram program, char *cubin)) \
  F(nvrtcGetPTXSize, (nvrtcProgram program, size_t *bytes)) \
  F(nvrtcGetPTX, (nvrtcProgram program, char *ptx)) \
  F(nvrtcGetProgramLogSize, (nvrtcProgram program, size_t *bytes)) \
  F(nvrtcGetProgramLog, (nvrtcProgram program, char *log))

#define CUDA_MEMBER(name, arguments) unsigned (*name) arguments;
#define CUDA_VERSIONED(name, version, arguments) unsigned (*name) arguments;

typedef struct cuda_driver {
  CUDA_FIRST(CUDA_MEMBER)
  CUDA_DRIVER(CUDA_VERSIONED)
} cuda_driver;

typedef struct cuda_nvrtc {
  CUDA_NVRTC(CUDA_MEMBER)
} cuda_nvrtc;

#endif
