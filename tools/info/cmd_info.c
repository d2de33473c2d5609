// SPDX-License-Identifier: BSD-3-Clause
/* `heddle info`: what there is, what is off and why.
 *
 * Layer: L5. Asks every backend to load, and tells every attempt. The same walk feeds the text and the JSON.
 */
#include "tools/emit.h"
#include "api.h"
#include "ops.h"
#include "tools/progress.h"
#include "tools/tool.h"
#include <stdlib.h>
#include <string.h>

typedef struct request { bool json, ops, api; } request;
enum { KEY_JSON = 256, KEY_OPS, KEY_API, MOST_BACKENDS = 64 };

static const struct argp_option options[] = {
  { "json", KEY_JSON, NULL, 0, "One JSON document (heddle.info/1)", 0 },
  { "ops", KEY_OPS, NULL, 0, "Every operation, and which element types each backend does natively", 0 },
  { "api", KEY_API, NULL, 0, "Only functions, structs and enumerations, as one JSON document (heddle.api/1)", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_JSON: r->json = true; return 0;
  case KEY_OPS: r->ops = true; return 0;
  case KEY_API: r->api = true; return 0;
  case ARGP_KEY_ARG: argp_error(state, "unexpected argument '%s'", arg); return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static const char *state_name(int state)
{
  static const char *const names[] = { "not probed", "loading", "ready", "failed", "forked", "disabled" };
  return state >= 0 && state < (int)(sizeof names / sizeof names[0]) ? names[state] : "?";
}

static const char *support_name(int support)
{
  return support == HED_SUPPORT_NATIVE ? "native" : support == HED_SUPPORT_FALLBACK ? "emulated" : "none";
}

/* Support of a dtype on a backend that is ready. */
static int dtype_support(const char *backend, hed_dtype t)
{
  hed_context *c = NULL;
  hed_dtype_resolution r = { .struct_size = sizeof r };
  int support = HED_SUPPORT_NONE;
  if (hed_context_derive(NULL, backend, &c) == HED_OK && hed_dtype_resolve(t, c, &r) == HED_OK)
    support = r.support;
  hed_context_release(c);
  return support;
}

/* ---- text ---- */

static void print_attempt(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  (void)arg;
  printf("      %-7s %s%s%s%s%s\n", stage, status == HED_OK ? "ok" : hed_status_text(status), *candidate ? "  " : "",
         candidate, *reason ? ": " : "", reason);
}

static void print_dtypes(const char *name)
{
  for (int level = HED_SUPPORT_NATIVE; level >= HED_SUPPORT_NONE; level--) {
    bool any = false;
    for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
      if (dtype_support(name, hed_dtype_of(i)) == level) {
        if (!any)
          printf("    dtypes %s:", support_name(level));
        printf(" %s", hed_dtype_name(hed_dtype_of(i)));
        any = true;
      }
    if (any)
      putchar('\n');
  }
}

/* Load NAME unless that was tried already, so that no attempt is listed twice, and describe it. */
static bool describe(const char *name, hed_backend_info *b)
{
  *b = (hed_backend_info){ .struct_size = sizeof *b };
  if (hed_backend_query(name, b) == HED_OK && b->state == HED_BACKEND_UNPROBED)
    (void)hed_backend_require(name);
  return hed_backend_query(name, b) == HED_OK;
}

static void print_backend(const char *name, const char *bold, const char *plain)
{
  hed_backend_info b;
  if (!describe(name, &b))
    return;
  printf("  %s%s%s  %s%s%s", bold, name, plain, state_name(b.state), *b.version ? ", version " : "", b.version);
  if (b.state == HED_BACKEND_READY)
    printf(", score %d, %s memory%s", b.score, b.host_memory ? "host" : "own",
           hed_backend_fuses(name) == 1 ? ", fuses" : "");
  printf("\n");
  if (*b.path || b.state == HED_BACKEND_READY)
    printf("    %s\n", *b.path ? b.path : "built in");
  if (*b.reason)
    printf("    %s\n", b.reason);
  if (b.state != HED_BACKEND_READY) {
    printf("    attempts:\n");
    hed_backend_explain(name, print_attempt, NULL);
    return;
  }
  for (int d = 0; d < b.devices; d++) {
    char text[1024] = "";
    const bool usable = hed_backend_device(name, d, text, sizeof text) == HED_OK;
    printf("    device %d: %s\n", d, usable ? text : hed_error_text());
  }
  print_dtypes(name);
  ops_print_counts(name);
}

static void print_setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg;
  printf("  %-16s %-24s %s\n", name, *value ? value : "-", source);
}

static int print_text(const request *r, const char **names, int n)
{
  const bool colour = colour_on_stdout();
  const char *bold = colour ? "\033[1m" : "", *plain = colour ? "\033[0m" : "";
  printf("%sheddle %s%s (headers %s)\n", bold, hed_version(), plain, HED_VERSION);
  printf("backend in force: %s\n  %s\n", hed_get_backend(), hed_context_reason());
  printf("processors to use: %d\n", hed_thread_capacity());
  hed_memory_info m = { .struct_size = sizeof m };
  if (hed_memory_query("reference", &m) == HED_OK)
    printf("host memory: %zu MiB available of %zu MiB, at most %zu MiB kept for reuse\n", m.available >> 20, m.total >> 20,
           m.pool_limit >> 20);
  printf("%sbackends%s\n", bold, plain);
  for (int i = 0; i < n; i++)
    print_backend(names[i], bold, plain);
  if (r->ops) {
    printf("%soperations%s\n", bold, plain);
    ops_print(names, n);
  }
  printf("%ssettings%s\n", bold, plain);
  hed_config_list(print_setting, NULL);
  return 0;
}

/* ---- JSON ---- */

static void emit_attempt(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  emit *e = arg;
  emit_object(e, NULL);
  emit_string(e, "candidate", candidate);
  emit_string(e, "stage", stage);
  emit_int(e, "status", status);
  emit_string(e, "reason", reason);
  emit_object_end(e);
}

static void emit_details(emit *e, const char *name, const hed_backend_info *b)
{
  emit_array(e, "devices");
  for (int d = 0; d < b->devices; d++) {
    char text[1024] = "";
    const bool usable = hed_backend_device(name, d, text, sizeof text) == HED_OK;
    emit_string(e, NULL, usable ? text : hed_error_text());
  }
  emit_array_end(e);
  emit_object(e, "dtypes");
  for (int i = 0; i < HED_ID_CONCRETE_COUNT_; i++)
    emit_string(e, hed_dtype_name(hed_dtype_of(i)), support_name(dtype_support(name, hed_dtype_of(i))));
  emit_object_end(e);
  ops_emit_ways(e, name);
}

static void emit_backend(emit *e, const char *name)
{
  hed_backend_info b;
  if (!describe(name, &b))
    return;
  emit_object(e, NULL);
  emit_string(e, "name", name);
  emit_string(e, "state", state_name(b.state));
  emit_string(e, "version", b.version);
  emit_int(e, "score", b.score);
  emit_bool(e, "host_memory", b.host_memory);
  emit_string(e, "path", b.path);
  emit_string(e, "reason", b.reason);
  emit_array(e, "attempts");
  hed_backend_explain(name, emit_attempt, e);
  emit_array_end(e);
  if (b.state == HED_BACKEND_READY)
    emit_details(e, name, &b);
  emit_object_end(e);
}

static void emit_setting(void *arg, const char *name, const char *value, const char *source)
{
  emit *e = arg;
  emit_object(e, NULL);
  emit_string(e, "name", name);
  emit_string(e, "value", value);
  emit_string(e, "source", source);
  emit_object_end(e);
}

static void emit_memory(emit *e)
{
  hed_memory_info m = { .struct_size = sizeof m };
  if (hed_memory_query("reference", &m) != HED_OK)
    return;
  emit_object(e, "host_memory");
  emit_int(e, "total", (int64_t)m.total);
  emit_int(e, "available", (int64_t)m.available);
  emit_int(e, "pool_limit", (int64_t)m.pool_limit);
  emit_object_end(e);
}

static int print_api(void)
{
  emit e = { 0 };
  api_emit(&e, NULL);
  return tool_emit(&e);
}

static int print_json(const request *r, const char **names, int n)
{
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.info/1");
  emit_string(&e, "version", hed_version());
  emit_string(&e, "headers", HED_VERSION);
  emit_string(&e, "backend", hed_get_backend());
  emit_string(&e, "reason", hed_context_reason());
  emit_int(&e, "threads", hed_thread_capacity());
  emit_memory(&e);
  emit_array(&e, "backends");
  for (int i = 0; i < n; i++)
    emit_backend(&e, names[i]);
  emit_array_end(&e);
  if (r->ops) {
    ops_emit(&e, names, n);
    api_emit(&e, "api");
  }
  emit_array(&e, "settings");
  hed_config_list(emit_setting, &e);
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse,
    .doc = "Show version, backends with their state and the reason, devices, dtypes, operations and settings.\v"
           "An operation is native, composed of others, a view without work, or done by another backend."
  };
  const char *names[MOST_BACKENDS];
  request r = { 0 };
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  if (r.api)
    return print_api();
  int n = hed_backend_list(names, MOST_BACKENDS);
  n = n < MOST_BACKENDS ? n : MOST_BACKENDS;
  return r.json ? print_json(&r, names, n) : print_text(&r, names, n);
}

const tool_command cmd_info = { "info", "what this installation has, and why something is off", run_command };
