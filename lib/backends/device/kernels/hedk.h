// SPDX-License-Identifier: BSD-3-Clause
/* The dialect of the kernels: OpenCL C 1.2 and CUDA C++ without headers, from one text. L1.
 *
 *   KERNEL, FN, CONSTANT       a kernel, a function of kernels, a table of the program
 *   PTR(T, p), AT(p)           a parameter that points at T, and where it points
 *   GLOBAL                     before a type: in the device's memory; nothing in CUDA
 *   LOCAL(T, a, n)             an array of the group, at the top of a kernel; LOCAL_PTR: before a type, what points into it
 *   ITEM_X, GROUP_X .. Z, LANE, GROUPS_X   idx: item, group, place in the group, groups
 *   BARRIER()                  of the group, for LOCAL and global memory alike
 *   RUN(i, n) .. RUN_END       body for each I of the item below N, of the PER_ITEM that it has in flat layouts and rows (args.h)
 *   hed__bits32, hed__number32, ..64       patterns of floating-point numbers (base/bits.h on the host)
 *   MULHI32, CLZ32, POPCOUNT64, ATOMIC_*   whole numbers
 *   PUT_U32(p, v), LOOK_U32(p) a word that other groups wait for, and the same word while it may be written
 *   PUBLISH(p), AWAIT(p)       what the item wrote before is there for whoever waits for p, which was 0. Only
 *                              groups that have begun may be waited for, on devices where looks_back is set (device.h)
 *
 * Types are those of stdint.h, and i64, u64, idx. Without float64 double is float: formulas that are written with double lose
 * precision there and nothing else; what must not lose it says so by NO_FLOAT64. No vector types but for aligned accesses, no
 * barrier where items may have gone other ways, no return before one, no float atomics, no long and no size_t.
 */
#if defined(__OPENCL_C_VERSION__) || defined(__OPENCL_VERSION__)

#pragma OPENCL FP_CONTRACT OFF
#if !defined(NO_FLOAT64) && defined(cl_khr_fp64)
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

typedef char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long int64_t;
typedef uchar uint8_t;
typedef ushort uint16_t;
typedef uint uint32_t;
typedef ulong uint64_t;

#define KERNEL __kernel __attribute__((work_group_size_hint(BLOCK, 1, 1))) void
#define FN inline static
#define CONSTANT(T, name) __constant T name
#define GLOBAL __global
#define LOCAL(T, a, n) __local T a[n]
#define LOCAL_PTR __local
#define PTR(T, p) __global T *p##_, int64_t p##_off
#define AT(p) ((__typeof__(p##_))((__global char *)p##_ + p##_off))
#define ITEM_X ((idx)get_global_id(0))
#define GROUP_X ((idx)get_group_id(0))
#define GROUP_Y ((idx)get_group_id(1))
#define GROUP_Z ((idx)get_group_id(2))
#define GROUPS_X ((idx)get_num_groups(0))
#define LANE ((int32_t)get_local_id(0))
#define BARRIER() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)
#define ALIGNED(n) __attribute__((aligned(n)))

#define sqrtf(x) sqrt((float)(x))

#define hed__bits32(x) as_uint(x)
#define hed__number32(b) as_float(b)
#define hed__bits64(x) as_ulong(x)
#define hed__number64(b) as_double(b)
#define MULHI32(a, b) mul_hi((uint32_t)(a), (uint32_t)(b))
#define MULHI64(a, b) mul_hi((uint64_t)(a), (uint64_t)(b))
#define CLZ32(x) ((int32_t)clz((uint32_t)(x)))
#define POPCOUNT64(x) popcount((uint64_t)(x))
#define ATOMIC_ADD_U32(p, v) atomic_add((volatile GLOBAL uint32_t *)(p), (uint32_t)(v))
#define ATOMIC_MAX_U32(p, v) atomic_max((volatile GLOBAL uint32_t *)(p), (uint32_t)(v))
#define ATOMIC_CAS_U32(p, was, v) atomic_cmpxchg((volatile GLOBAL uint32_t *)(p), (uint32_t)(was), (uint32_t)(v))
#define ATOMIC_ADD_LOCAL_U32(p, v) atomic_add((volatile LOCAL_PTR uint32_t *)(p), (uint32_t)(v))
/* For drivers that do more than OpenCL promises: their atomics order memory. */
#define PUT_U32(p, v) atomic_xchg((volatile GLOBAL uint32_t *)(p), (uint32_t)(v))
#define LOOK_U32(p) atomic_or((volatile GLOBAL uint32_t *)(p), 0u)
#define PUBLISH(p) atomic_xchg((volatile GLOBAL uint32_t *)(p), 1u)
#define AWAIT(p)                                              \
  while (atomic_or((volatile GLOBAL uint32_t *)(p), 0u) == 0) \
    ;

#elif defined(__CUDACC__)

typedef signed char int8_t;
typedef short int16_t;
typedef int int32_t;
typedef long long int64_t;
typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#define KERNEL extern "C" __global__ void __launch_bounds__(BLOCK)
#define FN static __device__ __forceinline__
#define CONSTANT(T, name) static __constant__ const T name
#define GLOBAL
#define LOCAL(T, a, n) __shared__ T a[n]
#define LOCAL_PTR
#define PTR(T, p) T *p##_, int64_t p##_off
#define AT(p) ((decltype(p##_))((char *)p##_ + p##_off))
/* Widened before the product, which may have more than 32 bits. */
#define ITEM_X ((idx)blockIdx.x * (idx)BLOCK + (idx)threadIdx.x)
#define GROUP_X ((idx)blockIdx.x)
#define GROUP_Y ((idx)blockIdx.y)
#define GROUP_Z ((idx)blockIdx.z)
#define GROUPS_X ((idx)gridDim.x)
#define LANE ((int32_t)threadIdx.x)
#define BARRIER() __syncthreads()
#define ALIGNED(n) __align__(n)

#define hed__bits32(x) __float_as_uint(x)
#define hed__number32(b) __uint_as_float(b)
#define hed__bits64(x) ((uint64_t)__double_as_longlong(x))
#define hed__number64(b) __longlong_as_double((int64_t)(b))
#define MULHI32(a, b) __umulhi((uint32_t)(a), (uint32_t)(b))
#define MULHI64(a, b) __umul64hi((uint64_t)(a), (uint64_t)(b))
#define CLZ32(x) __clz((int32_t)(x))
#define POPCOUNT64(x) __popcll((uint64_t)(x))
#define ATOMIC_ADD_U32(p, v) atomicAdd((uint32_t *)(p), (uint32_t)(v))
#define ATOMIC_MAX_U32(p, v) atomicMax((uint32_t *)(p), (uint32_t)(v))
#define ATOMIC_CAS_U32(p, was, v) atomicCAS((uint32_t *)(p), (uint32_t)(was), (uint32_t)(v))
#define ATOMIC_ADD_LOCAL_U32(p, v) atomicAdd((uint32_t *)(p), (uint32_t)(v))
#define PUT_U32(p, v) (*(volatile uint32_t *)(p) = (v))
#define LOOK_U32(p) (*(const volatile uint32_t *)(p))
#define PUBLISH(p) (__threadfence(), *(volatile uint32_t *)(p) = 1u)
#define AWAIT(p)                                     \
  {                                                  \
    while (*(const volatile uint32_t *)(p) == 0)     \
      ;                                              \
    __threadfence();                                 \
  }

#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fffffff)

#endif

typedef int64_t i64;
typedef uint64_t u64;
typedef int64_t idx;

#define UINT32_MAX 0xffffffffu
#define UINT64_MAX 0xffffffffffffffffu
#define INT64_MAX 0x7fffffffffffffff
#define INT64_MIN (-INT64_MAX - 1)

#ifdef NO_FLOAT64
#define double float
/* For texts in which nobody calls what is made of these. */
#undef hed__bits64
#undef hed__number64
#define hed__bits64(x) ((uint64_t)hed__bits32(x))
#define hed__number64(b) hed__number32((uint32_t)(b))
#endif

/* The number whose bits an argument has. */
#ifdef NO_FLOAT64
#define ARGUMENT(b) hed__number32((uint32_t)(b))
#else
#define ARGUMENT(b) hed__number64(b)
#endif

/* A processor's groups are one item, whose loop becomes vector code: no operand begins within another, so that none of the elements
 * waits for one before it. */
#ifdef DEVICE_CPU
#define RUN(i, n)                                                                                                      \
  const idx run_from = GROUP_X * PER_ITEM, run_end = run_from + PER_ITEM < (n) ? run_from + PER_ITEM : (n);            \
  _Pragma("clang loop vectorize(assume_safety)") for (idx i = run_from; i < run_end; i++)                              \
  {                                                                                                                    \
    {
#else
#define RUN(i, n)                                                                                                      \
  for (int32_t run = 0; run < PER_ITEM; run++) {                                                                       \
    const idx i = GROUP_X * (BLOCK * PER_ITEM) + LANE + run * BLOCK;                                                   \
    if (i < (n)) {
#endif
#define RUN_END                                                                                                        \
  }                                                                                                                    \
  }

#define JOIN2_(a, b) a##b
#define JOIN2(a, b) JOIN2_(a, b)
#define JOIN3_(a, b, c) a##b##c
#define JOIN3(a, b, c) JOIN3_(a, b, c)
