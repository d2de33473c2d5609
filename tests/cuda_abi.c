// SPDX-License-Identifier: BSD-3-Clause
/* cuda: its own declarations against the vendor's headers, where those are. What is wrong does not compile. */
#include <cublas_v2.h>
#include <cuda.h>
#include <cufft.h>
#include <nvrtc.h>
#include "backends/cuda/libraries.h"
#include "tap.h"

enum { functions = 0
#define COUNT(name, arguments) + 1
#define COUNT_VERSIONED(name, version, arguments) + 1
  HED__CUDA_FIRST(COUNT) HED__CUDA_DRIVER(COUNT_VERSIONED) HED__CUDA_NVRTC(COUNT) HED__CUDA_CUFFT(COUNT)
  HED__CUDA_CUFFT_RUN(COUNT) HED__CUDA_CUBLAS(COUNT)
};

#define SAME(name, arguments) \
  _Static_assert(__builtin_types_compatible_p(unsigned arguments, __typeof__(name)), #name " is declared otherwise");
#define SAME_VERSIONED(name, version, arguments) SAME(name, arguments)
#define VALUE(name, value) _Static_assert((int)name == (value), #name " has another value");

/* A structure with members of other names; below. */
#define hed__cuda_copy CUDA_MEMCPY3D
HED__CUDA_DRIVER(SAME_VERSIONED)
#undef hed__cuda_copy
HED__CUDA_NVRTC(SAME)
HED__CUDA_VALUES(VALUE)
HED__CUDA_LIBRARY_VALUES(VALUE)

HED__CUDA_CUFFT(SAME)
HED__CUDA_CUBLAS(SAME)

/* These take void pointers, of the vendor's types, and as many arguments. */
#define SAME_RUN(name, ...) \
  _Static_assert(__builtin_types_compatible_p(__typeof__(name(0, (void *)0, (void *)0, ##__VA_ARGS__)), unsigned), #name);
SAME_RUN(cufftExecC2C, 0) SAME_RUN(cufftExecZ2Z, 0) SAME_RUN(cufftExecR2C) SAME_RUN(cufftExecD2Z) SAME_RUN(cufftExecC2R)
SAME_RUN(cufftExecZ2D)

#define AT(ours, theirs) \
  _Static_assert(offsetof(hed__cuda_copy, ours) == offsetof(CUDA_MEMCPY3D, theirs), #theirs " is somewhere else");
AT(from_x, srcXInBytes) AT(from_lod, srcLOD) AT(from_type, srcMemoryType) AT(from_host, srcHost) AT(from_device, srcDevice)
AT(from_array, srcArray) AT(from_pitch, srcPitch) AT(from_height, srcHeight) AT(to_x, dstXInBytes) AT(to_type, dstMemoryType)
AT(to_host, dstHost) AT(to_device, dstDevice) AT(to_array, dstArray) AT(to_pitch, dstPitch) AT(to_height, dstHeight)
AT(bytes, WidthInBytes) AT(height, Height) AT(depth, Depth)
_Static_assert(sizeof(hed__cuda_copy) == sizeof(CUDA_MEMCPY3D), "CUDA_MEMCPY3D has another size");

int main(void)
{
  ok(functions > 60, "%d functions and their values are declared as the vendor's headers have them", (int)functions);
  return done();
}
