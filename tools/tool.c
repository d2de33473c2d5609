// SPDX-License-Identifier: BSD-3-Clause
/*
 * tool.c: errors, numbers, signals, output files, models for the commands.
 *
 * Layer: L5.
 */
#include "tool.h"
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *command = "heddle";
int tool_interrupted;

int tool_fail(int code, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  fprintf(stderr, "%s: ", command);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

/* Sentences begin with the function that failed; who uses the program has not called one. */
static const char *without_function(const char *text)
{
  if (strncmp(text, "hed_", 4) != 0)
    return text;
  size_t n = strcspn(text, ": ");
  return text[n] == ':' && text[n + 1] == ' ' ? text + n + 2 : text;
}

int tool_code(hed_status status)
{
  switch (status) {
  case HED_OK:
    return STATUS_OK;
  case HED_E_CANCELLED:
    return STATUS_INTERRUPTED;
  case HED_E_NOMEM:
  case HED_E_DEVMEM:
  case HED_E_LIMIT:
    return STATUS_MEMORY;
  case HED_E_NOTFOUND:
  case HED_E_UNAVAILABLE:
  case HED_E_UNSUPPORTED:
  case HED_E_ABI:
  case HED_E_ASYNC:
  case HED_E_FORKED:
    return STATUS_BACKEND;
  case HED_E_INTERNAL:
    return STATUS_NEGATIVE;
  default:
    return STATUS_INPUT;
  }
}

int tool_fail_status(hed_status status)
{
  const char *text = hed_error_text();
  return tool_fail(tool_code(status), "%s", *text ? without_function(text) : hed_status_text(status));
}

const char *tool_backend(int *code)
{
  hed_context_info info = { .struct_size = sizeof info };
  const hed_status status = hed_context_query(NULL, &info);
  if (status == HED_OK)
    return hed_get_backend();
  *code = tool_fail_status(status);
  return NULL;
}

int tool_parse(const struct argp *argp, int argc, char **argv, void *input)
{
  command = argv[0];
  argp_err_exit_status = STATUS_USAGE;
  return argp_parse(argp, argc, argv, 0, NULL, input) == 0 ? 0 : STATUS_USAGE;
}

double tool_number(struct argp_state *state, const char *option, const char *text, double low, double high)
{
  char *end;
  double v = strtod(text, &end);
  if (end == text || *end || !isfinite(v) || v < low || v > high)
    argp_error(state, "%s: '%s' is not a number from %g to %g", option, text, low, high);
  return v;
}

long long tool_integer(struct argp_state *state, const char *option, const char *text, long long low, long long high)
{
  char *end;
  errno = 0;
  long long v = strtoll(text, &end, 10);
  if (end == text || *end || errno || v < low || v > high)
    argp_error(state, "%s: '%s' is not an integer from %lld to %lld", option, text, low, high);
  return v;
}

void tool_tilts(struct argp_state *state, const char *text, double *low, double *high)
{
  char first[32];
  const char *comma = strchr(text, ',');
  if (!comma || comma == text || (size_t)(comma - text) >= sizeof first)
    argp_error(state, "--tilts: '%s' is not two angles LOW,HIGH", text);
  snprintf(first, sizeof first, "%.*s", comma ? (int)(comma - text) : 0, text);
  *low = tool_number(state, "--tilts", first, -89.9, 89.9);
  *high = tool_number(state, "--tilts", comma ? comma + 1 : "", -89.9, 89.9);
  if (*low > 0 && *high > 0)
    *low = -*low;
  if (*low >= *high)
    argp_error(state, "--tilts: from %g to %g degrees there is none", *low, *high);
}

int tool_close_stdout(int code)
{
  if (fflush(stdout) != 0 || ferror(stdout))
    return code ? code : tool_fail(STATUS_INPUT, "cannot write to standard output: %s", strerror(errno));
  return code;
}

static void on_signal(int number)
{
  (void)number;
  __atomic_store_n(&tool_interrupted, 1, __ATOMIC_RELAXED);
}

void tool_catch_signals(void)
{
  struct sigaction a = { .sa_handler = on_signal, .sa_flags = (int)(SA_RESTART | SA_RESETHAND) };
  sigemptyset(&a.sa_mask);
  sigaction(SIGINT, &a, NULL);
  sigaction(SIGTERM, &a, NULL);
  sigaction(SIGHUP, &a, NULL);
}

static hed_status open_output(outputs *o, int i) { return hed_file_create("hed_file_create", o->final[i], &o->file[i]); }

static void drop_output(outputs *o, int i)
{
  (void)hed_file_close(o->file[i], HED_E_CANCELLED);
  o->file[i] = NULL;
}

int outputs_add(outputs *o, const char *prefix, const char *suffix)
{
  struct stat st;
  if (o->n == OUTPUTS_MAX || asprintf(&o->final[o->n], "%s%s", prefix, suffix) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  const int i = o->n++;
  if (!o->force && lstat(o->final[i], &st) == 0)
    return tool_fail(STATUS_INPUT, "'%s' exists; --force replaces it", o->final[i]);
  const hed_status status = open_output(o, i); /* whether it can be written: before what takes long, which leaves no files */
  drop_output(o, i);
  return status == HED_OK ? 0 : tool_fail_status(status);
}

hed_status outputs_open(outputs *o)
{
  hed_status status = HED_OK;
  for (int i = 0; i < o->n && status == HED_OK; i++)
    status = open_output(o, i);
  return status;
}

const char *outputs_name(const outputs *o, int i) { return hed_file_temporary(o->file[i]); }

int outputs_commit(outputs *o)
{
  for (int i = 0; i < o->n; i++) {
    const hed_status status = hed_file_close(o->file[i], HED_OK);
    o->file[i] = NULL;
    if (status != HED_OK) {
      while (!o->force && i-- > 0)
        unlink(o->final[i]);
      return tool_fail_status(status);
    }
  }
  return 0;
}

void outputs_close(outputs *o)
{
  for (int i = 0; i < o->n; i++) {
    drop_output(o, i);
    free(o->final[i]);
  }
  *o = (outputs){ 0 };
}

bool tool_is_model(const char *path)
{
  static const char *const ends[] = { ".pdb", ".ent", ".cif", ".mmcif" };
  size_t n = strlen(path);
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    size_t k = strlen(ends[i]);
    if (n > k && strcasecmp(path + n - k, ends[i]) == 0)
      return true;
  }
  return false;
}

hed_status tool_model_map(const hed_model *m, double voxel, double resolution, hed_map *out)
{
  double centre[3] = { 0, 0, 0 }, weight = 0, radius = 0;
  for (size_t i = 0; i < m->n; i++) {
    double w = m->atomic_number[i] * m->occupancy[i];
    centre[0] += w * m->x[i];
    centre[1] += w * m->y[i];
    centre[2] += w * m->z[i];
    weight += w;
  }
  if (!(weight > 0) || !(voxel > 0) || !(resolution > 0)) /* the kit's own sentence says which */
    return hed_model_to_map(m, voxel, resolution, NULL, out);
  for (size_t i = 0; i < m->n; i++)
    radius = fmax(radius, sqrt(pow(m->x[i] - centre[0] / weight, 2) + pow(m->y[i] - centre[1] / weight, 2) +
                               pow(m->z[i] - centre[2] / weight, 2)));
  /* three standard deviations of the atoms' Gaussians beyond the farthest one */
  radius += 3 * resolution / (3.14159265358979323846 * sqrt(2));
  double half = ceil(radius / voxel);
  if (half > 511)
    return hed_fail(HED_E_INVAL, "the model of radius %.0f angstrom needs %.0f voxels of %g angstrom along an axis; "
                    "1023 are the most", radius, 2 * half + 1, voxel);
  int64_t n = 2 * (int64_t)half + 1;
  const hed_shape shape = HED_SHAPE(n, n, n);
  return hed_model_to_map(m, voxel, resolution, &shape, out);
}
