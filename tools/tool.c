// SPDX-License-Identifier: BSD-3-Clause
/* Errors, options, numbers, signals, models for the commands.
 *
 * Layer: L5.
 */
#define _GNU_SOURCE
#include "tool.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char *command = "heddle";
int tool_interrupted;

static _Thread_local char *failure; /* where this thread's sentences go instead */
static _Thread_local size_t failure_room;

void tool_fail_into(char *text, size_t room)
{
  failure = text;
  failure_room = room;
}

int tool_fail(int code, const char *format, ...)
{
  va_list args;
  va_start(args, format);
  if (failure && code) {
    vsnprintf(failure, failure_room, format, args);
    va_end(args);
    return code;
  }
  fprintf(stderr, "%s: ", command);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

const char *tool_reason(void)
{
  const char *text = hed_error_text();
  const size_t n = strcspn(text, ": ");
  char name[80];
  if (text[n] != ':' || text[n + 1] != ' ')
    return text;
  const size_t m = strlen(command);
  if (m > n && command[m - n - 1] == ' ' && strncmp(command + m - n, text, n) == 0) /* the tool's own, for this command */
    return text + n + 2;
  snprintf(name, sizeof name, "%s%.*s", strncmp(text, "hed_", 4) == 0 ? "" : "hed_", (int)(n < 70 ? n : 70), text);
  return dlsym(RTLD_DEFAULT, name) ? text + n + 2 : text;
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
  return tool_fail(tool_code(status), "%s", *text ? tool_reason() : hed_status_text(status));
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

static error_t parse_help(int key, char *arg, struct argp_state *state)
{
  (void)arg;
  if (key != 'h')
    return ARGP_ERR_UNKNOWN;
  argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
  return 0;
}

int tool_parse(const struct argp *argp, int argc, char **argv, void *input)
{
  static const struct argp_option short_help[] = { { "help", 'h', NULL, OPTION_HIDDEN, "", 0 }, { 0 } };
  static const struct argp help = { .options = short_help, .parser = parse_help };
  struct argp_child children[] = { { &help, 0, NULL, 0 }, { &help, 0, NULL, 0 }, { 0 } };
  struct argp all = *argp;
  if (argp->children) /* one, whose input is the first of the command's */
    children[0] = argp->children[0];
  all.children = children + (argp->children == NULL);
  command = argv[0];
  argp_err_exit_status = STATUS_USAGE;
  if (tool_unknown_option(&all, argc, argv, false)) {
    argp_help(&all, stderr, ARGP_HELP_SEE, argv[0]);
    exit(STATUS_USAGE);
  }
  return argp_parse(&all, argc, argv, 0, NULL, input) == 0 ? 0 : STATUS_USAGE;
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

void tool_none(struct argp_state *state, const char *option, const char *text, const char *words)
{
  char choices[512], all[400] = "";
  for (const char *s = words; *s; s++)
    snprintf(all + strlen(all), sizeof all - strlen(all), *s == ',' && s[1] != ' ' ? ", " : "%c", *s);
  argp_error(state, "%s: no '%s'%s", option, text, hed_choices(text, all, choices, sizeof choices));
}

int tool_word(struct argp_state *state, const char *option, const char *text, const char *words)
{
  int i = 0;
  for (const char *s = words;; s += strcspn(s, ",") + 1, i++) {
    const size_t n = strcspn(s, ",");
    if (strlen(text) == n && strncmp(text, s, n) == 0)
      return i;
    if (s[n] == '\0')
      break;
  }
  tool_none(state, option, text, words);
  return 0;
}

/* "tsv, star and tbl" */
static const char *format_names(void)
{
  static char all[160];
  for (int i = *all ? INT_MAX : 0; hed_table_format_name(i); i++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", i ? ", " : "", hed_table_format_name(i));
  return all;
}

int tool_table_format(struct argp_state *state, const char *option, const char *text)
{
  for (int i = 0; hed_table_format_name(i); i++)
    if (strcmp(hed_table_format_name(i), text) == 0)
      return i;
  tool_none(state, option, text, format_names());
  return 0;
}

int tool_table_format_of(int *format, const char *path, const char *option)
{
  static const struct { const char *ending; int format; } endings[] = {
    { ".tsv", HED_TABLE_TSV }, { ".star", HED_TABLE_RELION }, { ".tbl", HED_TABLE_DYNAMO }, { ".coords", HED_TABLE_COORDINATES },
    { ".csv", HED_TABLE_NAPARI }, { ".cmm", HED_TABLE_CHIMERAX },
  };
  const char *dot = strrchr(path, '.');
  for (size_t i = 0; dot && i < sizeof endings / sizeof endings[0]; i++)
    if (*format < 0 && strcasecmp(dot, endings[i].ending) == 0)
      *format = endings[i].format;
  if (*format >= 0)
    return 0;
  return tool_fail(STATUS_USAGE, "'%s' ends in none of .tsv, .star, .tbl, .coords, .csv and .cmm; %s says what it is", path, option);
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

static void on_signal(int number)
{
  (void)number;
  __atomic_store_n(&tool_interrupted, 1, __ATOMIC_RELAXED);
}

void tool_catch_signals(void)
{
  static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction a = { .sa_handler = on_signal, .sa_flags = (int)(SA_RESTART | SA_RESETHAND) }, before;
  sigemptyset(&a.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (sigaction(signals[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN) /* nohup */
      sigaction(signals[i], &a, NULL);
}

bool tool_is_model(const char *path)
{
  static const char *const ends[] = { ".pdb", ".ent", ".cif", ".mmcif" };
  size_t n = strlen(path);
  if (n > 3 && strcasecmp(path + n - 3, ".gz") == 0)
    n -= 3;
  for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
    size_t k = strlen(ends[i]);
    if (n > k && strncasecmp(path + n - k, ends[i], k) == 0)
      return true;
  }
  return false;
}

bool tool_voxels_differ(double a, double b)
{
  return a > 0 && b > 0 && fabs(a / b - 1) > 0.01;
}

hed_status tool_read_map(const char *path, const hed_map_reading *opt, hed_map *out)
{
  const hed_status status = hed_map_read_as(path, opt, out);
  if (status == HED_OK && *out->warning)
    (void)tool_fail(0, "'%s': %s", path, out->warning);
  return status;
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
