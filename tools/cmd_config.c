// SPDX-License-Identifier: BSD-3-Clause
/* `heddle config`: settings in force, and the user's configuration file.
 *
 * Layer: L5. The file is $XDG_CONFIG_HOME/heddle/config, else ~/.config/heddle/config. `set` and `unset` keep its
 * other lines.
 */
#include "emit.h"
#include "tool.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct request {
  const char *action, *key, *value;
  bool json;
} request;

enum { KEY_JSON = 256 };

static const struct argp_option options[] = {
  { "json", KEY_JSON, NULL, 0, "Settings as JSON (heddle.config/1)", 0 },
  { 0 }
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
  request *r = state->input;
  switch (key) {
  case KEY_JSON: r->json = true; return 0;
  case ARGP_KEY_ARG:
    if (state->arg_num == 0)
      r->action = arg;
    else if (state->arg_num == 1)
      r->key = arg;
    else if (state->arg_num == 2)
      r->value = arg;
    else
      argp_error(state, "unexpected argument '%s'", arg);
    return 0;
  case ARGP_KEY_END:
    if (!r->action)
      return 0;
    (void)tool_word(state, "ACTION", r->action, "get,set,unset");
    if (strcmp(r->action, "set") == 0 ? !r->value : !r->key || r->value)
      argp_error(state, "'get KEY', 'set KEY VALUE' or 'unset KEY' is expected");
    return 0;
  default: return ARGP_ERR_UNKNOWN;
  }
}

static void print_setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg;
  printf("%-16s %-24s %s\n", name, *value ? value : "-", source);
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

static int show(const request *r)
{
  if (!r->json) {
    hed_config_list(print_setting, NULL);
    return 0;
  }
  emit e = { 0 };
  emit_object(&e, NULL);
  emit_string(&e, "schema", "heddle.config/1");
  emit_array(&e, "settings");
  hed_config_list(emit_setting, &e);
  emit_array_end(&e);
  emit_object_end(&e);
  return tool_emit(&e);
}

/* $XDG_CONFIG_HOME/heddle with its parents, and the file's name in it; both from malloc(). */
static int find_file(char **folder, char **file)
{
  const char *base = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
  *folder = *file = NULL;
  int n = -1;
  if (base && *base == '/')
    n = asprintf(folder, "%s/heddle", base);
  else if (home && *home == '/')
    n = asprintf(folder, "%s/.config/heddle", home);
  else
    return tool_fail(STATUS_INPUT, "neither XDG_CONFIG_HOME nor HOME is an absolute path");
  if (n < 0 || asprintf(file, "%s/config", *folder) < 0)
    return tool_fail(STATUS_MEMORY, "out of memory");
  for (char *p = *folder + 1;; p++) {
    if (*p != '/' && *p != '\0')
      continue;
    char kept = *p;
    *p = '\0';
    bool bad = mkdir(*folder, 0777) != 0 && errno != EEXIST;
    if (bad)
      return tool_fail(STATUS_INPUT, "cannot make the folder '%s': %s", *folder, strerror(errno));
    *p = kept;
    if (kept == '\0')
      return 0;
  }
}

/* Does the line set KEY? */
static bool sets(const char *line, const char *key)
{
  size_t n = strlen(key);
  while (isspace((unsigned char)*line))
    line++;
  if (strncmp(line, key, n) != 0)
    return false;
  line += n;
  while (*line == ' ' || *line == '\t')
    line++;
  return *line == '=';
}

/* Copies what FROM holds but for lines that set the key, then the new line. What can't be read is no end: nothing is lost. */
static hed_status rewrite(FILE *from, const char *name, hed_file *to, const request *r)
{
  char *line = NULL;
  size_t room = 0;
  ssize_t n;
  bool ended = true;
  hed_status status = HED_OK;
  errno = 0;
  while (from && (n = getline(&line, &room, from)) > 0) {
    if (sets(line, r->key))
      continue;
    hed_file_write(to, line, (size_t)n);
    ended = line[n - 1] == '\n';
    errno = 0;
  }
  if (from && !feof(from))
    status = hed_fail(errno == ENOMEM ? HED_E_NOMEM : HED_E_IO, "hed_config: cannot read '%s': %s", name, strerror(errno));
  if (r->value)
    hed_file_print(to, "%s%s = %s\n", ended ? "" : "\n", r->key, r->value);
  free(line);
  return status;
}

/* With the folder locked, so that of several writers each sees what those before it wrote. */
static int change_locked(const char *file, const request *r)
{
  FILE *from = fopen(file, "r");
  hed_file *to;
  if (!from && errno != ENOENT)
    return tool_fail(STATUS_INPUT, "cannot read '%s': %s", file, strerror(errno));
  hed_status status = hed_file_create("hed_config", file, &to);
  if (status == HED_OK)
    status = hed_file_close(to, rewrite(from, file, to, r));
  if (from)
    fclose(from);
  return status == HED_OK ? 0 : tool_fail_status(status);
}

static int change(const request *r)
{
  char *folder, *file;
  int code = find_file(&folder, &file);
  const int lock = code == 0 ? tool_lock(folder) : -1;
  if (code == 0)
    code = lock < 0 ? tool_fail(STATUS_INPUT, "cannot lock '%s': %s", folder, strerror(errno)) : change_locked(file, r);
  if (lock >= 0)
    close(lock);
  if (code == 0)
    printf("%s\n", file);
  free(folder);
  free(file);
  return code;
}

typedef struct search {
  const char *key;
  bool found;
  char known[400];
} search;

static void look(void *arg, const char *name, const char *value, const char *source)
{
  search *s = arg;
  size_t n = strlen(s->known);
  (void)value;
  (void)source;
  s->found = s->found || strcmp(s->key, name) == 0;
  snprintf(s->known + n, sizeof s->known - n, "%s%s", n ? ", " : "", name);
}

static void print_value(void *arg, const char *name, const char *value, const char *source)
{
  (void)source;
  if (strcmp(*(const char **)arg, name) == 0)
    printf("%s\n", value);
}

/* ---- is a value worth keeping? ---- */

/* The sentence of the library's error without what names the variable that stood in for the file. */
static int refuse(const request *r, const char *why)
{
  char quoted[128];
  snprintf(quoted, sizeof quoted, "'%.120s'", r->value);
  if (strstr(why, quoted)) /* it is said once */
    return tool_fail(STATUS_USAGE, "setting '%s': %s", r->key, why);
  return tool_fail(STATUS_USAGE, "'%s' is no value for the setting '%s': %s", r->value, r->key, why);
}

/* Is NAME, of N letters, a backend in host memory, of which each machine has one device? */
static bool on_host(const char *name, size_t n)
{
  char text[64];
  hed_backend_info info = { .struct_size = sizeof info };
  snprintf(text, sizeof text, "%.*s", (int)n, name);
  return hed_backend_require(text) == HED_OK && hed_backend_query(text, &info) == HED_OK && info.host_memory;
}

static void find_backend(void *arg, const char *name, const char *value, const char *source)
{
  (void)source;
  if (strcmp(name, "backend") == 0)
    snprintf(arg, 64, "%.63s", value);
}

static bool in_force_on_host(void)
{
  char spec[64] = "";
  hed_config_list(find_backend, spec);
  return on_host(spec, strcspn(spec, ":; "));
}

/* A spec: what is wrong with it, or stands on another machine's word. */
static int check_backend(const request *r)
{
  char name[64];
  const char *spec = r->value;
  hed_backend_info info = { .struct_size = sizeof info };
  const size_t n = strcspn(spec, ":;, ");
  snprintf(name, sizeof name, "%.*s", (int)n, spec);
  hed_frame frame;
  if (hed_backend_context_push(spec, &frame) == HED_OK)
    return hed_context_pop(frame) == HED_OK ? 0 : tool_fail_status(hed_error());
  const hed_status status = hed_error();
  const char *why = hed_error_text();
  if ((status != HED_E_UNAVAILABLE && status != HED_E_NOTFOUND && status != HED_E_INDEX) || strchr(spec, ',') || !n)
    return refuse(r, why);
  char text[600];
  snprintf(text, sizeof text, "%s", why);
  if (hed_backend_query(name, &info) != HED_OK || on_host(name, n))
    return refuse(r, text);
  return tool_fail(0, "kept, but not possible here: %s", text);
}

/* Names with blanks or commas between. */
static int check_disable(const request *r)
{
  const char *known[64];
  char names[400] = "", word[64], choices[500], why[600];
  const int n = hed_backend_list(known, 64);
  for (int i = 0; i < n && i < 64; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", known[i]);
  for (const char *p = r->value + strspn(r->value, " ,;:"); *p; p += strspn(p, " ,;:")) {
    const size_t length = strcspn(p, " ,;:");
    bool found = false;
    snprintf(word, sizeof word, "%.*s", (int)length, p);
    for (int i = 0; i < n && i < 64; i++)
      found = found || strcasecmp(known[i], word) == 0;
    if (!found) {
      snprintf(why, sizeof why, "no backend is called '%s'%s", word, hed_choices(word, names, choices, sizeof choices));
      return refuse(r, why);
    }
    p += length;
  }
  return 0;
}

/* Has a backend a device of that number here, as far as is known without trying what is not there? */
static int check_device(const request *r)
{
  const char *names[64];
  const int n = hed_backend_list(names, 64), number = atoi(r->value);
  for (int i = 0; i < n && i < 64; i++) {
    hed_backend_info info = { .struct_size = sizeof info };
    if (hed_backend_require(names[i]) == HED_OK && hed_backend_query(names[i], &info) == HED_OK && number < info.devices)
      return 0;
  }
  return tool_fail(0, "kept, but no backend here has a device %d", number);
}

/* What every program would be stopped by is refused. Variables are checked as the file is, and named by the error; this is before
 * the library has read them. What another machine may have is kept with a warning. */
static int check(const request *r)
{
  char name[64], why[600], cannot[128];
  hed_context_info info = { .struct_size = sizeof info };
  if (strcmp(r->key, "backend") == 0)
    return check_backend(r);
  if (strcmp(r->key, "cache_dir") == 0)
    return *r->value == '/' || strcmp(r->value, "auto") == 0 || strcmp(r->value, "none") == 0 ?
      0 : refuse(r, "an absolute path, auto or none is needed");
  if (strcmp(r->key, "disable") == 0 && check_disable(r) != 0)
    return STATUS_USAGE;
  snprintf(name, sizeof name, "HEDDLE_%s", r->key);
  for (char *p = name; *p; p++)
    *p = (char)toupper((unsigned char)*p);
  if (setenv(name, r->value, 1) == 0 && hed_context_query(NULL, &info) != HED_OK) {
    const char *text = hed_error_text(), *at = strstr(text, name);
    const char *own = at ? at + strlen(name) : text;
    own += strspn(own, ": ");
    const int n = snprintf(cannot, sizeof cannot, "%s cannot be '%.40s'; ", r->key, r->value); /* what refuse() says itself */
    snprintf(why, sizeof why, "%s", strncmp(own, cannot, (size_t)n) == 0 ? own + n : own);
    if (at || (strcmp(r->key, "device") == 0 && in_force_on_host()))
      return refuse(r, why);
  }
  return strcmp(r->key, "device") == 0 ? check_device(r) : 0;
}

static int run_command(int argc, char **argv)
{
  static const struct argp argp = {
    .options = options, .parser = parse, .args_doc = "\nget KEY\nset KEY VALUE\nunset KEY",
    .doc = "Show the settings in force and where each comes from, or change the user's configuration file.\v"
           "The file is $XDG_CONFIG_HOME/heddle/config, or ~/.config/heddle/config. Environment variables "
           "(HEDDLE_BACKEND, ...) go before it."
  };
  request r = { 0 };
  char dashes[] = "--", *values[] = { argv[0], dashes, NULL, NULL, NULL, NULL };
  if (argc == 4 && strcmp(argv[1], "set") == 0) { /* -3 is a value there, which is refused as one */
    memcpy(values + 2, argv + 1, 3 * sizeof *argv);
    argv = values;
    argc = 5;
  }
  int code = tool_parse(&argp, argc, argv, &r);
  if (code)
    return code;
  if (!r.action)
    return show(&r);
  if (r.value && (strcmp(r.key, "plugin_path") == 0 || strcmp(r.key, "inherit") == 0 || strcmp(r.key, "profile") == 0))
    return tool_fail(STATUS_USAGE, "'%s' may be set by the environment only", r.key);
  if (r.value && (code = check(&r)) != 0)
    return code;
  search s = { .key = r.key };
  char choices[500];
  hed_config_list(look, &s);
  if (!s.found)
    return tool_fail(STATUS_USAGE, "there is no setting '%s'%s", r.key, hed_choices(r.key, s.known, choices, sizeof choices));
  if (strcmp(r.action, "get") == 0) {
    hed_config_list(print_value, &r.key);
    return 0;
  }
  if (r.value && (strpbrk(r.value, "\r\n#") || isspace((unsigned char)*r.value) || !*r.value))
    return tool_fail(STATUS_USAGE, "'%s' is no value for a setting", r.value);
  return change(&r);
}

const tool_command cmd_config = { "config", "show and change settings", run_command };
