// SPDX-License-Identifier: BSD-3-Clause
/* cuda: programs by NVRTC. L1. See compile.h. */
#include "backends/cuda/compile/compile.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void cuda_limits(dev_limits *out)
{
  *out = (dev_limits){ .float64 = true, .float16 = true, .exact_divide = true, .looks_back = true,
                       .block = 256, .rows = 1, .binaries = true,
                       .args = 4096 };
}

int cuda_known_architecture(const cuda_nvrtc *rtc, int most)
{
  enum { MOST = 64 };
  int archs[MOST], n = 0, best = 0;
  if (rtc->nvrtcGetNumSupportedArchs(&n) != 0 || n > MOST || rtc->nvrtcGetSupportedArchs(archs) != 0)
    return 0;
  for (int k = 0; k < n; k++)
    if (archs[k] <= most && archs[k] > best)
      best = archs[k];
  return best;
}

/* Of REAL architectures the machine code, else PTX. */
static void take_image(const cuda_nvrtc *rtc, nvrtcProgram made, bool real, cuda_image *out)
{
  if ((real ? rtc->nvrtcGetCUBINSize : rtc->nvrtcGetPTXSize)(made, &out->bytes) != 0 || out->bytes == 0)
    return;
  out->data = malloc(out->bytes + 1);
  if (out->data && (real ? rtc->nvrtcGetCUBIN : rtc->nvrtcGetPTX)(made, out->data) != 0) {
    free(out->data);
    out->data = NULL;
  }
}

static void read_log(const cuda_nvrtc *rtc, nvrtcProgram made, char *log, size_t cap)
{
  size_t bytes = 0;
  if (rtc->nvrtcGetProgramLogSize(made, &bytes) != 0 || bytes < 2)
    return;
  char *text = malloc(bytes);
  if (text && rtc->nvrtcGetProgramLog(made, text) == 0)
    snprintf(log, cap, "%.*s", (int)bytes, text);
  free(text);
}

/* No fused multiply-add, no flushing of denormals, IEEE division and square root: the same bits as on the host. */
unsigned cuda_compile(const cuda_nvrtc *rtc, const char *text, const char *target, cuda_image *out, char *log,
                      size_t cap)
{
  char architecture[60];
  const char *const options[] = { architecture, "--std=c++17", "--fmad=false", "--ftz=false", "--prec-div=true", "--prec-sqrt=true",
                                  "--disable-warnings" };
  nvrtcProgram made = NULL;
  *out = (cuda_image){ 0, NULL };
  snprintf(log, cap, "%s", "");
  snprintf(architecture, sizeof architecture, "--gpu-architecture=%.30s", target);
  unsigned error = rtc->nvrtcCreateProgram(&made, text, "heddle.cu", 0, NULL, NULL);
  if (error != 0)
    return error;
  error = rtc->nvrtcCompileProgram(made, sizeof options / sizeof *options, options);
  read_log(rtc, made, log, cap);
  if (error == 0)
    take_image(rtc, made, strncmp(target, "sm_", 3) == 0, out);
  (void)rtc->nvrtcDestroyProgram(&made);
  return error;
}
