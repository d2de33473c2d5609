// SPDX-License-Identifier: BSD-3-Clause
/* `heddle wisdom`: measures transforms once, so that programs that load the result need not.
 *
 * Layer: L5. What a file holds already is kept: it is loaded first. Measuring may take long; an interruption writes what
 * was learnt until then.
 */
#include "tool.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { KEY_BACKEND = 'b', KEY_DTYPE = 'd', KEY_EFFORT = 'e', KEY_OUTPUT = 'o', KEY_COMPLEX = 'c', KEY_FRESH = 256, MOST = 64 };

typedef struct request {
  const char *backend, *effort, *output;
  hed_dtype dtype;
  bool complex_only, fresh;
  hed_shape shapes[MOST];
  int n;
} request;

static const struct argp_option options[] = {
  { "backend", KEY_BACKEND, "SPEC", 0, "Backend whose wisdom it is [cpu]", 0 },
  { "dtype", KEY_DTYPE, "TYPE", 0, "float32 or float64 [float32]", 0 },
  { "complex", KEY_COMPLEX, NULL, 0, "Complex transforms only [real and complex]", 0 },
  { "effort", KEY_EFFORT, "LEVEL", 0, "measure, patient or exhaustive [measure]", 0 },
  { "output", KEY_OUTPUT, "FILE", 0, "File to add to [the default one, which is shown]", 0 },
  { "fresh", KEY_FRESH, NULL, 0, "Forget what the file holds", 0 },
  { 0 }
};

/* "128x128x64" */
static void add_shape(request *r, const char *arg, struct argp_state *state)
{
  hed_shape s = { .ndim = 0 };
  const char *p = arg;
  while (s.ndim < HED_MAX_NDIM) {
    char *end;
    errno = 0;
    long long n = strtoll(p, &end, 10);
    if (end == p || errno || n < 1 || (*end && *end != 'x'))
      break;
    s.dim[s.ndim++] = n;
    if (!*end) {
      if (r->n == MOST)
        argp_error(state, "more than %d shapes", MOST);
      else
        r->shapes[r->n++] = s;
      return;
    }
    p = end + 1;
  }
  argp_error(state, "'%s' is no shape: extents like 128x128x64 are", arg);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_BACKEND: r->backend = arg; return 0;
  case KEY_DTYPE:
    r->dtype = tool_word(state, "--dtype", arg, "float32,float64") == 0 ? HED_FLOAT32 : HED_FLOAT64;
    return 0;
  case KEY_COMPLEX: r->complex_only = true; return 0;
  case KEY_EFFORT:
    (void)tool_word(state, "--effort", arg, "measure,patient,exhaustive");
    r->effort = arg;
    return 0;
  case KEY_OUTPUT: r->output = arg; return 0;
  case KEY_FRESH: r->fresh = true; return 0;
  case ARGP_KEY_ARG: add_shape(r, arg, state); return 0;
  case ARGP_KEY_NO_ARGS: argp_error(state, "a shape is missing"); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

/* Plans of one shape, forward and back; making them is what measures. */
static hed_status measure(const request *r, hed_shape shape, hed_dtype t)
{
  hed_fft_plan *forward = NULL, *inverse = NULL;
  hed_status status = hed_build_fft(shape, t, NULL, &forward, &inverse);
  if (status == HED_OK) {
    printf("%s", hed_dtype_name(t));
    for (int k = 0; k < shape.ndim; k++)
      printf("%c%lld", k ? 'x' : ' ', (long long)shape.dim[k]);
    printf(": %s\n", r->effort);
    fflush(stdout);
  }
  hed_fft_plan_release(forward);
  hed_fft_plan_release(inverse);
  return status;
}

static hed_status measure_all(const request *r)
{
  hed_dtype z = r->dtype == HED_FLOAT32 ? HED_COMPLEX64 : HED_COMPLEX128;
  hed_status status = HED_OK;
  for (int k = 0; k < r->n && status == HED_OK && !tool_interrupted; k++) {
    if (!r->complex_only)
      status = measure(r, r->shapes[k], r->dtype);
    if (status == HED_OK && !tool_interrupted)
      status = measure(r, r->shapes[k], z);
  }
  return status;
}

/* Adds what FILE holds to what is known; a file that is not there yet holds nothing. */
static hed_status load(const char *file, const char *output)
{
  FILE *f = fopen(file, "rb");
  if (!f)
    return errno == ENOENT ? HED_OK : hed_fail(HED_E_IO, "hed_fft_wisdom_load: cannot read '%s': %s", file, strerror(errno));
  fclose(f);
  return hed_fft_wisdom_load(output);
}

/* What another program has written while this one measured is kept, too. */
static hed_status save(const request *r, const char *file)
{
  char folder[1024];
  const char *slash = strrchr(file, '/');
  snprintf(folder, sizeof folder, "%.*s", slash == file ? 1 : slash ? (int)(slash - file) : 1, slash ? file : ".");
  const int lock = tool_lock(folder); /* a folder that is not there yet nobody writes into */
  hed_status status = r->fresh ? HED_OK : load(file, r->output);
  if (status == HED_OK)
    status = hed_fft_wisdom_save(r->output);
  if (lock >= 0)
    close(lock);
  return status;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "SHAPE...",
    .doc = "Measure Fourier transforms and keep what was learnt in a file.\v"
           "SHAPE is like 128x128x64. A program that calls hed_fft_wisdom_load() then plans these transforms, forward and "
           "back, without measuring. Wisdom fits the machine and the FFTW that it was made with."
  };
  request r = { .backend = "cpu", .effort = "measure", .dtype = HED_FLOAT32 };
  char spec[256], path[1024];
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  tool_catch_signals();
  snprintf(spec, sizeof spec, "%s;fft=%s", r.backend, r.effort);
  hed_status status = hed_set_backend(spec);
  if (status == HED_OK && !r.output)
    status = hed_fft_wisdom_path(path, sizeof path);
  const char *file = r.output ? r.output : path;
  if (status == HED_OK && !r.fresh)
    status = load(file, r.output);
  if (status == HED_OK)
    status = measure_all(&r);
  if (status == HED_OK)
    status = save(&r, file);
  if (status != HED_OK)
    return tool_fail_status(status);
  printf("%s\n", file);
  return tool_interrupted ? STATUS_INTERRUPTED : STATUS_OK;
}

const tool_command cmd_wisdom = { "wisdom", "measure Fourier transforms once, for programs that load the result", run_command };
