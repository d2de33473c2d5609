// SPDX-License-Identifier: BSD-3-Clause
/* Reading the configuration. L2. See config.h. */
#include "core/process/config.h"
#include "base/alloc.h"
#include "base/cancel.h"
#include <ctype.h>
#include <errno.h>
#include <heddle/words.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct setting {
  const char *key, *variable;
  char *value, *source;
} setting;

static setting settings[HED__SETTINGS] = {
  [HED__SET_BACKEND] = { "backend", "HEDDLE_BACKEND", NULL, NULL },
  [HED__SET_DEVICE] = { "device", "HEDDLE_DEVICE", NULL, NULL },
  [HED__SET_NUM_THREADS] = { "num_threads", "HEDDLE_NUM_THREADS", NULL, NULL },
  [HED__SET_DISABLE] = { "disable", "HEDDLE_DISABLE", NULL, NULL },
  [HED__SET_PLUGIN_PATH] = { "plugin_path", "HEDDLE_PLUGIN_PATH", NULL, NULL },
  [HED__SET_CACHE_DIR] = { "cache_dir", "HEDDLE_CACHE_DIR", NULL, NULL },
  [HED__SET_LOG] = { "log", "HEDDLE_LOG", NULL, NULL },
  [HED__SET_INHERIT] = { "inherit", "HEDDLE_INHERIT", NULL, NULL },
  [HED__SET_POOL] = { "pool", "HEDDLE_POOL", NULL, NULL },
  [HED__SET_DEVICE_POOL] = { "device_pool", "HEDDLE_DEVICE_POOL", NULL, NULL },
  [HED__SET_FFT] = { "fft", "HEDDLE_FFT", NULL, NULL },
  [HED__SET_FFT_PLANS] = { "fft_plans", "HEDDLE_FFT_PLANS", NULL, NULL },
  [HED__SET_TEAM] = { "team", "HEDDLE_TEAM", NULL, NULL },
  [HED__SET_CHECK] = { "check", "HEDDLE_CHECK", NULL, NULL },
  [HED__SET_PROFILE] = { "profile", "HEDDLE_PROFILE", NULL, NULL },
};
static char problem[512]; /* first thing wrong, "" when nothing is */
static pthread_once_t once = PTHREAD_ONCE_INIT;
enum { LARGEST_FILE = 64 * 1024, MOST_POOL = 1 << 24 };

static void complain(const char *source, const char *what, const char *value)
{
  if (!problem[0])
    snprintf(problem, sizeof problem, "%s: %s '%.100s'", source, what, value);
}

static void complain_more(const char *source, const char *what, const char *more)
{
  if (!problem[0])
    snprintf(problem, sizeof problem, "%s: %s%s", source, what, more);
}

static void put(setting *s, const char *value, const char *source)
{
  if (s->value) /* a higher source has spoken */
    return;
  s->value = hed__strdup(value);
  s->source = hed__strdup(source);
  if (!s->value || !s->source)
    complain(source, "no memory for the value", value);
}

static char *trim(char *s)
{
  while (isspace((unsigned char)*s))
    s++;
  char *e = s + strlen(s);
  while (e > s && isspace((unsigned char)e[-1]))
    *--e = 0;
  return s;
}

static void read_line(const char *path, int number, char *line)
{
  char source[300];
  snprintf(source, sizeof source, "%.256s line %d", path, number);
  char *hash = strchr(line, '#');
  if (hash)
    *hash = 0;
  line = trim(line);
  if (!*line)
    return;
  char *eq = strchr(line, '=');
  if (!eq) {
    complain(source, "not KEY = VALUE:", line);
    return;
  }
  *eq = 0;
  char *key = trim(line), *value = trim(eq + 1);
  for (int i = 0; i < HED__SETTINGS; i++)
    if (strcasecmp(settings[i].key, key) == 0) {
      /* paths of modules and the interposer's switch come from the environment only: a file must not widen what is loaded, nor
       * make every program write a profile */
      if (i == HED__SET_PLUGIN_PATH || i == HED__SET_INHERIT || i == HED__SET_PROFILE)
        complain(source, "only the environment may set", key);
      else if (*value)
        put(&settings[i], value, source);
      return;
    }
  char names[200] = "", choices[260], what[64];
  for (int i = 0; i < HED__SETTINGS; i++)
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? ", " : "", settings[i].key);
  snprintf(what, sizeof what, "unknown setting '%.40s'", key);
  complain_more(source, what, hed_choices(key, names, choices, sizeof choices));
}

static void read_file(const char *path)
{
  FILE *f = fopen(path, "re");
  if (!f) {
    if (errno != ENOENT && errno != ENOTDIR)
      complain(path, "cannot be read:", strerror(errno));
    return;
  }
  struct stat st;
  char line[1024];
  int number = 0;
  if (fstat(fileno(f), &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= LARGEST_FILE) {
    while (fgets(line, sizeof line, f)) {
      number++;
      if (!strchr(line, '\n') && !feof(f)) {
        complain(path, "has a line of more than 1000 bytes:", "");
        break;
      }
      read_line(path, number, line);
    }
  } else {
    complain(path, "is not a regular file of at most 64 KiB:", "");
  }
  fclose(f);
}

/* XDG base directories: relative and empty values are ignored, as that specification says. */
static void read_files(void)
{
  HED__UNCANCELLED;
  char path[1024];
  const char *home = secure_getenv("XDG_CONFIG_HOME"), *user = secure_getenv("HOME");
  if (home && home[0] == '/')
    snprintf(path, sizeof path, "%.900s/heddle/config", home);
  else if (user && user[0] == '/')
    snprintf(path, sizeof path, "%.900s/.config/heddle/config", user);
  else
    path[0] = 0;
  if (path[0])
    read_file(path);
  const char *dirs = secure_getenv("XDG_CONFIG_DIRS");
  if (!dirs || !*dirs)
    dirs = "/etc/xdg";
  for (size_t n; *dirs; dirs += n + (dirs[n] == ':')) {
    n = strcspn(dirs, ":");
    if (n > 900 || dirs[0] != '/')
      continue;
    snprintf(path, sizeof path, "%.*s/heddle/config", (int)n, dirs);
    read_file(path);
  }
}

bool hed__config_cache_home(char *path, size_t cap)
{
  const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  int n = -1;
  if (xdg && xdg[0] == '/')
    n = snprintf(path, cap, "%s/heddle", xdg);
  else if (home && home[0] == '/')
    n = snprintf(path, cap, "%s/.cache/heddle", home);
  return n >= 0 && (size_t)n < cap;
}

/* Is the folder that caches of this user go below theirs? Not with sudo, which leaves HOME: root's files would be in the way. */
static bool is_own_home(void)
{
  const char *xdg = secure_getenv("XDG_CACHE_HOME"), *home = secure_getenv("HOME");
  struct stat st;
  return (xdg && xdg[0] == '/' && stat(xdg, &st) == 0 ? true : home && stat(home, &st) == 0) && st.st_uid == geteuid();
}

/* cache_dir=auto is the user's own folder of caches; so is nothing, where there is one. */
static void find_cache_dir(setting *s)
{
  char path[1024], *own = NULL;
  const bool asked = s->value;
  if (asked ? strcmp(s->value, "auto") != 0 : !is_own_home())
    return;
  if (hed__config_cache_home(path, sizeof path) && (own = hed__strdup(path)) != NULL) {
    hed__free(s->value);
    s->value = own;
  } else if (asked) {
    complain(s->source, "neither XDG_CACHE_HOME nor HOME is an absolute path for", s->value);
  }
}

static void check_number(int i, long low, long high)
{
  const setting *s = &settings[i];
  if (!s->value)
    return;
  char *end, what[96], range[48];
  errno = 0;
  long n = strtol(s->value, &end, 10);
  if (errno || end == s->value || *end || n < low || n > high)
  {
    snprintf(what, sizeof what, "%s cannot be '%.40s'", s->key, s->value);
    snprintf(range, sizeof range, "; %ld to %ld are possible", low, high);
    complain_more(s->source, what, range);
  }
}

static const char *const efforts[] = { "estimate", "measure", "patient", "exhaustive", NULL };
static const char *const checks[] = { "async", "sync", NULL };
static const char *const levels[] = { "off", "error", "warn", "info", "debug", NULL };

/* Which of NAMES; -1: none of them. */
static int32_t choice_of(const char *const *names, const char *v)
{
  int32_t k = 0;
  while (v && names[k] && strcasecmp(v, names[k]) != 0)
    k++;
  return v && names[k] ? k : -1;
}

static void check_choice(int which, const char *const *names)
{
  const setting *s = &settings[which];
  char all[80] = "", what[80], choices[160];
  if (!s->value || choice_of(names, s->value) >= 0)
    return;
  for (int k = 0; names[k]; k++)
    snprintf(all + strlen(all), sizeof all - strlen(all), "%s%s", k ? ", " : "", names[k]);
  snprintf(what, sizeof what, "%s cannot be '%.40s'", s->key, s->value);
  complain_more(s->source, what, hed_choices(s->value, all, choices, sizeof choices));
}

static void load(void)
{
  for (int i = 0; i < HED__SETTINGS; i++) {
    const char *value = secure_getenv(settings[i].variable);
    char source[64];
    snprintf(source, sizeof source, "environment variable %s", settings[i].variable);
    if (value && *value) /* empty counts as not set */
      put(&settings[i], value, source);
  }
  read_files();
  find_cache_dir(&settings[HED__SET_CACHE_DIR]);
  check_number(HED__SET_NUM_THREADS, 1, 4096);
  check_number(HED__SET_DEVICE, 0, 1023);
  check_number(HED__SET_POOL, 0, MOST_POOL);
  check_number(HED__SET_DEVICE_POOL, 0, MOST_POOL);
  check_number(HED__SET_FFT_PLANS, 1, 4096);
  check_choice(HED__SET_FFT, efforts);
  check_choice(HED__SET_CHECK, checks);
  check_choice(HED__SET_LOG, levels);
}

const char *hed__config_get(int i)
{
  pthread_once(&once, load);
  return settings[i].value;
}

const char *hed__config_source(int i)
{
  pthread_once(&once, load);
  return settings[i].source ? settings[i].source : "default";
}

hed_status hed__config_check(void)
{
  pthread_once(&once, load);
  return problem[0] ? hed_fail(HED_E_INVAL, "configuration: %s", problem) : HED_OK;
}

int hed__config_num_threads(void)
{
  const char *v = hed__config_get(HED__SET_NUM_THREADS);
  long n = v ? strtol(v, NULL, 10) : 0;
  return n >= 1 && n <= 4096 ? (int)n : 0;
}

static long pool_setting(int which)
{
  const char *v = hed__config_get(which);
  char *end = NULL;
  long n = v ? strtol(v, &end, 10) : -1;
  return v && *v && !*end && n >= 0 && n <= MOST_POOL ? n : -1;
}

long hed__config_pool(void) { return pool_setting(HED__SET_POOL); }
long hed__config_device_pool(void) { return pool_setting(HED__SET_DEVICE_POOL); }

static int32_t choice(int which, const char *const *names)
{
  const int32_t k = choice_of(names, hed__config_get(which));
  return k > 0 ? k : 0;
}

int32_t hed__config_effort(void) { return choice(HED__SET_FFT, efforts); }
int32_t hed__config_failures(void) { return choice(HED__SET_CHECK, checks); }

const char *hed__config_by_name(const char *name)
{
  for (int i = 0; i < HED__SETTINGS; i++)
    if (strcmp(settings[i].key, name) == 0)
      return hed__config_get(i);
  return NULL;
}

bool hed__config_disabled(const char *name)
{
  const char *p = hed__config_get(HED__SET_DISABLE);
  size_t len = strlen(name);
  while (p && *p) {
    size_t skip = strspn(p, " ,;:"), n = strcspn(p + skip, " ,;:");
    if (n == len && strncasecmp(p + skip, name, n) == 0)
      return true;
    p += skip + n;
  }
  return false;
}

int hed_config_list(hed_setting_fn fn, void *arg)
{
  static const char *const builtin[HED__SETTINGS] = {
    [HED__SET_BACKEND] = "automatic", [HED__SET_DEVICE] = "0", [HED__SET_NUM_THREADS] = "affinity and cgroup",
    [HED__SET_CACHE_DIR] = "none", [HED__SET_LOG] = "off", [HED__SET_INHERIT] = "1",
    [HED__SET_POOL] = "an eighth of the memory", [HED__SET_DEVICE_POOL] = "nine tenths of the device's memory",
    [HED__SET_FFT] = "estimate", [HED__SET_FFT_PLANS] = "128", [HED__SET_TEAM] = "own",
    [HED__SET_CHECK] = "async",
  };
  for (int i = 0; i < HED__SETTINGS && fn; i++) {
    const char *v = hed__config_get(i);
    fn(arg, settings[i].key, v ? v : builtin[i] ? builtin[i] : "", hed__config_source(i));
  }
  return HED__SETTINGS;
}
