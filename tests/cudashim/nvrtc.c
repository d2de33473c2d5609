// SPDX-License-Identifier: BSD-3-Clause
/* cudashim: NVRTC, whose machine code is the text. The driver of this shim compiles it. */
#include "shim.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DECLARE(name, arguments) HED_API unsigned name arguments;
CUDA_NVRTC(DECLARE)

struct _nvrtcProgram {
  char *text;
};

unsigned nvrtcVersion(int *major, int *minor)
{
  *major = 13;
  *minor = 0;
  return 0;
}

unsigned nvrtcGetNumSupportedArchs(int *n)
{
  *n = 2;
  return 0;
}

unsigned nvrtcGetSupportedArchs(int *archs)
{
  archs[0] = 75;
  archs[1] = 90;
  return 0;
}

unsigned nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n_headers, const char *const *headers,
                            const char *const *names)
{
  (void)name, (void)headers, (void)names;
  nvrtcProgram p = malloc(sizeof *p);
  const size_t bytes = strlen(source) + sizeof "cudashim\n";
  if (!p || n_headers || !(p->text = malloc(bytes))) {
    free(p);
    return 1; /* NVRTC_ERROR_OUT_OF_MEMORY */
  }
  snprintf(p->text, bytes, "cudashim\n%s", source);
  *program = p;
  return 0;
}

unsigned nvrtcDestroyProgram(nvrtcProgram *program)
{
  free((*program)->text);
  free(*program);
  *program = NULL;
  return 0;
}

/* A text with a line `#error' is wrong. */
unsigned nvrtcCompileProgram(nvrtcProgram program, int n_options, const char *const *options)
{
  for (int k = 0; k < n_options; k++)
    if (strncmp(options[k], "--", 2) != 0)
      return 5; /* NVRTC_ERROR_INVALID_OPTION */
  return strstr(program->text, "\n#error wrong\n") ? 6 : 0; /* NVRTC_ERROR_COMPILATION */
}

unsigned nvrtcGetCUBINSize(nvrtcProgram program, size_t *bytes)
{
  *bytes = strlen(program->text);
  return 0;
}

unsigned nvrtcGetCUBIN(nvrtcProgram program, char *cubin)
{
  memcpy(cubin, program->text, strlen(program->text));
  return 0;
}

unsigned nvrtcGetPTXSize(nvrtcProgram program, size_t *bytes)
{
  *bytes = strlen(program->text) + 1;
  return 0;
}

unsigned nvrtcGetPTX(nvrtcProgram program, char *ptx)
{
  memcpy(ptx, program->text, strlen(program->text) + 1);
  return 0;
}

static const char *log_of(nvrtcProgram program)
{
  return strstr(program->text, "\n#error wrong\n") ? "heddle.cu: error: wrong" : "";
}

unsigned nvrtcGetProgramLogSize(nvrtcProgram program, size_t *bytes)
{
  *bytes = strlen(log_of(program)) + 1;
  return 0;
}

unsigned nvrtcGetProgramLog(nvrtcProgram program, char *log)
{
  strcpy(log, log_of(program));
  return 0;
}
