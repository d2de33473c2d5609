// SPDX-License-Identifier: BSD-3-Clause
/* cuda: the libraries' functions. L1. See load.h. */
#include "backends/cuda/port/load.h"
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { LEAST_VERSION = 12000 };

/* SYMBOL: names of TABLE's members, in order. A library that does without one of the first NEEDED is as good as none. */
typedef struct library {
  const char *title, *lacking;     /* what lacks without it */
  const char *wheel;
  const char *names[3];            /* of files, newest first */
  const char *const *symbol;
  int n, needed;
  void **table;
  cuda_found found;
  const char *missing;             /* symbol */
  atomic_bool tried;               /* nothing of it changes afterwards */
} library;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

#define NAME(name, arguments) #name,
#define VERSIONED(name, version, arguments) #name,
#define VERSION(name, version, arguments) version,
static const char *const first_names[] = { CUDA_FIRST(NAME) };
static const char *const driver_names[] = { CUDA_DRIVER(VERSIONED) };
static const int driver_versions[] = { CUDA_DRIVER(VERSION) };
static const char *const nvrtc_names[] = { CUDA_NVRTC(NAME) };
static const char *const cufft_names[] = { CUDA_CUFFT(NAME) CUDA_CUFFT_RUN(NAME) };
static const char *const cublas_names[] = { CUDA_CUBLAS(NAME) CUDA_CUBLAS_TYPED(NAME) };
static const char *const cublaslt_names[] = { CUDA_CUBLASLT(NAME) };
static const char *const cusolver_names[] = { CUDA_CUSOLVER(NAME) CUDA_CUSOLVER_TYPED(NAME) CUDA_CUSOLVER_LATER(NAME) };
static const char *const later_names[] = { CUDA_CUSOLVER_LATER(NAME) };
enum { FIRST = sizeof first_names / sizeof *first_names, DRIVER = sizeof driver_names / sizeof *driver_names };

static struct {
  union { cuda_driver f; void *p[FIRST + DRIVER]; } table;
  cuda_found found;
  int version;
  bool good;
} driver;

static union { cuda_nvrtc f; void *p[sizeof nvrtc_names / sizeof *nvrtc_names]; } nvrtc;
static union { cuda_cufft f; void *p[sizeof cufft_names / sizeof *cufft_names]; } cufft;
static union { cuda_cublas f; void *p[sizeof cublas_names / sizeof *cublas_names]; } cublas;
static union { cuda_cublaslt f; void *p[sizeof cublaslt_names / sizeof *cublaslt_names]; } cublaslt;
static union { cuda_cusolver f; void *p[sizeof cusolver_names / sizeof *cusolver_names]; } cusolver;

#define COUNT(names) ((int)(sizeof(names) / sizeof *(names)))
#define LIBRARY(NAME, later, ...) \
  { __VA_ARGS__, .symbol = NAME##_names, .n = COUNT(NAME##_names), .needed = COUNT(NAME##_names) - (later), .table = NAME.p }
static library libraries[] = {
  LIBRARY(nvrtc, 0, .title = "NVRTC", .lacking = "no fusion, installed kernels only", .wheel = "cuda_nvrtc",
          .names = { "libnvrtc.so.13", "libnvrtc.so.12" }),
  LIBRARY(cufft, 0, .title = "cuFFT", .lacking = "fft runs with kernels of ours", .wheel = "cufft",
          .names = { "libcufft.so.12", "libcufft.so.11" }),
  LIBRARY(cublas, 0, .title = "cuBLAS", .lacking = "products run through cuBLASLt or kernels of ours", .wheel = "cublas",
          .names = { "libcublas.so.13", "libcublas.so.12" }),
  LIBRARY(cublaslt, 0, .title = "cuBLASLt", .lacking = "cuBLAS multiplies alone", .wheel = "cublas",
          .names = { "libcublasLt.so.13", "libcublasLt.so.12" }),
  LIBRARY(cusolver, COUNT(later_names), .title = "cuSOLVER", .lacking = "factorisations run on the host", .wheel = "cusolver",
          .names = { "libcusolver.so.12", "libcusolver.so.11" }),
};
enum { NVRTC, CUFFT, CUBLAS, CUBLASLT, CUSOLVER, LIBRARIES };

/* ---- the driver ---- */

static bool driver_open(char *why, size_t cap)
{
  static const char *const names[] = { "libcuda.so.1", NULL };
  unsigned status;
  if (!driver.found.handle && !cuda_find(names, NULL, &driver.found)) {
    snprintf(why, cap, "libcuda.so.1, the driver's library, was not found: no NVIDIA driver is installed here");
    return false;
  }
  for (int k = 0; k < FIRST; k++)
    if (!(driver.table.p[k] = dlsym(driver.found.handle, first_names[k]))) {
      snprintf(why, cap, "%s has no %s: a driver for CUDA %d.%d or newer is needed", driver.found.path, first_names[k],
               LEAST_VERSION / 1000, LEAST_VERSION % 1000 / 10);
      return false;
    }
  if (driver.table.f.cuDriverGetVersion(&driver.version) != NV_CUDA_SUCCESS || driver.version < LEAST_VERSION) {
    snprintf(why, cap, "%s is a driver for CUDA %d.%d, one for %d.%d or newer is needed", driver.found.path,
             driver.version / 1000, driver.version % 1000 / 10, LEAST_VERSION / 1000, LEAST_VERSION % 1000 / 10);
    return false;
  }
  for (int k = 0; k < DRIVER; k++)
    if (driver.table.f.cuGetProcAddress_v2(driver_names[k], &driver.table.p[FIRST + k], driver_versions[k],
                                           NV_CU_GET_PROC_ADDRESS_DEFAULT, &status) != NV_CUDA_SUCCESS ||
        !driver.table.p[FIRST + k]) {
      snprintf(why, cap, "%s has no %s", driver.found.path, driver_names[k]);
      return false;
    }
  return true;
}

const cuda_driver *cuda_driver_get(char *why, size_t cap)
{
  char text[500] = "";
  pthread_mutex_lock(&lock);
  if (!driver.good)
    driver.good = driver_open(text, sizeof text);
  const bool good = driver.good;
  pthread_mutex_unlock(&lock);
  if (why && cap)
    snprintf(why, cap, "%s", text);
  return good ? &driver.table.f : NULL;
}

int cuda_driver_version(void) { return driver.version; }

/* ---- the others ---- */

/* Of a newer CUDA than the driver's, where there is one, nothing is taken: what it compiles, or its own kernels, the driver may not
 * know. The names of files that are the newest need CUDA 13. */
static bool library_open(library *l)
{
  const char *const *names = l->names;
  if (driver.version && driver.version < 13000)
    names++;
  bool good = cuda_find(names, l->wheel, &l->found);
  for (int k = 0; k < l->n && good; k++)
    if (!(l->table[k] = dlsym(l->found.handle, l->symbol[k])) && k < l->needed) {
      l->missing = l->symbol[k];
      good = false;
    }
  return good;
}

/* Without a lock once it is known: every product and transform asks. */
static bool is_there(library *l)
{
  if (atomic_load_explicit(&l->tried, memory_order_acquire))
    return l->table[0];
  pthread_mutex_lock(&lock);
  if (!atomic_load_explicit(&l->tried, memory_order_relaxed)) {
    if (!library_open(l))
      memset(l->table, 0, (size_t)l->n * sizeof *l->table);
    atomic_store_explicit(&l->tried, true, memory_order_release);
  }
  pthread_mutex_unlock(&lock);
  return l->table[0];
}

const cuda_nvrtc *cuda_nvrtc_get(void) { return is_there(&libraries[NVRTC]) ? &nvrtc.f : NULL; }
const cuda_cufft *cuda_cufft_get(void) { return is_there(&libraries[CUFFT]) ? &cufft.f : NULL; }
const cuda_cublas *cuda_cublas_get(void) { return is_there(&libraries[CUBLAS]) ? &cublas.f : NULL; }
const cuda_cublaslt *cuda_cublaslt_get(void) { return is_there(&libraries[CUBLASLT]) ? &cublaslt.f : NULL; }
const cuda_cusolver *cuda_cusolver_get(void) { return is_there(&libraries[CUSOLVER]) ? &cusolver.f : NULL; }

void cuda_tell(char *buf, size_t cap)
{
  size_t at = 0;
  for (int k = 0; k < LIBRARIES && at < cap; k++) {
    library *l = &libraries[k];
    int n;
    if (is_there(l))
      n = snprintf(buf + at, cap - at, "; %s: %s (%s)", l->title, l->found.path, l->found.origin);
    else if (l->missing)
      n = snprintf(buf + at, cap - at, "; %s: %s has no %s, %s", l->title, l->found.path, l->missing, l->lacking);
    else
      n = snprintf(buf + at, cap - at, "; %s: not found, %s", l->title, l->lacking);
    at += n > 0 ? (size_t)n : 0;
  }
}
