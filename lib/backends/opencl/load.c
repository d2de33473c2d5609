// SPDX-License-Identifier: BSD-3-Clause
/* opencl: which devices there are. L1.
 *
 * The loader of the system asks every installed driver; HEDDLE_OPENCL_PLATFORM takes one alone: part of a platform's name.
 */
#include "backends/opencl/opencl.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PLATFORMS = 16, OF_PLATFORM = 16 };

static bool is_wanted(cl_platform_id p)
{
  char name[OCL_TEXT] = "";
  const char *want = secure_getenv("HEDDLE_OPENCL_PLATFORM");
  if (!want || !*want)
    return true;
  (void)clGetPlatformInfo(p, CL_PLATFORM_NAME, sizeof name, name, NULL);
  name[sizeof name - 1] = 0;
  return strstr(name, want) != NULL;
}

/* What comes first: GPUs, accelerators, processors. */
static int rank(cl_device_id id)
{
  cl_device_type type = 0;
  (void)clGetDeviceInfo(id, CL_DEVICE_TYPE, sizeof type, &type, NULL);
  return type & CL_DEVICE_TYPE_GPU ? 0 : type & CL_DEVICE_TYPE_ACCELERATOR ? 1 : 2;
}

void ocl_no_devices(char *why, size_t cap)
{
  const char *want = secure_getenv("HEDDLE_OPENCL_PLATFORM");
  if (want && *want)
    snprintf(why, cap, "no device of a platform with '%.64s' in its name (HEDDLE_OPENCL_PLATFORM)", want);
  else
    snprintf(why, cap, "the OpenCL drivers that are installed have no device");
}

int32_t ocl_devices(cl_device_id *out, int32_t cap, cl_int *code)
{
  cl_platform_id platform[PLATFORMS];
  cl_device_id all[PLATFORMS * OF_PLATFORM];
  cl_uint n_platforms = 0, n = 0;
  int32_t count = 0;
  *code = clGetPlatformIDs(PLATFORMS, platform, &n_platforms);
  for (cl_uint k = 0; *code == CL_SUCCESS && k < n_platforms && k < PLATFORMS; k++) {
    cl_uint got = 0;
    const cl_int found = is_wanted(platform[k]) ? clGetDeviceIDs(platform[k], CL_DEVICE_TYPE_ALL, OF_PLATFORM, all + n, &got)
                                                : CL_SUCCESS;
    n += found != CL_SUCCESS ? 0 : got < OF_PLATFORM ? got : OF_PLATFORM;
    if (found != CL_DEVICE_NOT_FOUND)
      *code = found;
  }
  for (int r = 0; r < 3; r++)
    for (cl_uint k = 0; k < n && count < cap; k++)
      if (rank(all[k]) == r) {
        if (out)
          out[count] = all[k];
        count++;
      }
  return count;
}

/* A driver's file, NAME.icd, where the loader looks. */
static bool has_driver(const char *folder)
{
  bool found = false;
  DIR *d = opendir(folder);
  for (const struct dirent *e; d && !found && (e = readdir(d));) {
    const size_t n = strlen(e->d_name);
    found = n > 4 && strcmp(e->d_name + n - 4, ".icd") == 0;
  }
  if (d)
    closedir(d);
  return found;
}

bool ocl_installed(char *why, size_t cap)
{
  const char *folder = secure_getenv("OCL_ICD_VENDORS");
  const char *file = secure_getenv("OCL_ICD_FILENAMES");
  if ((file && *file) || (folder && *folder) || has_driver("/etc/OpenCL/vendors"))
    return true;
  snprintf(why, cap, "no OpenCL driver is installed: no .icd file in /etc/OpenCL/vendors");
  return false;
}
