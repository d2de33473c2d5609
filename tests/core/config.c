// SPDX-License-Identifier: BSD-3-Clause
/* Configuration: which source wins, what an entry that cannot be honoured says. Each case is a process of its own, since
 * the configuration is read once. L5.
 */
#include "scenario.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char dir[PATH_MAX / 4];

/* ---- the process that is asked ---- */

static void print_setting(void *arg, const char *name, const char *value, const char *source)
{
  (void)arg;
  printf("%s|%s|%s\n", name, value, source);
}

static int report(void)
{
  hed_context_info i = { .struct_size = sizeof i };
  int status = hed_context_query(NULL, &i);
  printf("status|%d|%s\n", status, status ? hed_error_text() : "");
  printf("in force|%s|%d|%s\n", i.name, (int)i.threads, hed_context_reason());
  printf("capacity|%d|\n", hed_thread_capacity());
  printf("disabled|%d|\n", hed_backend_require("reference"));
  hed_context_info c = { .struct_size = sizeof c };
  if (hed_context_query(NULL, &c) == HED_OK)
    printf("effort|%d|\ncheck|%d|\n", (int)c.fft_effort, (int)c.check);
  if (hed_backend_context_push(";fft=patient", NULL) == HED_OK && hed_context_query(NULL, &c) == HED_OK)
    printf("pushed effort|%d|\n", (int)c.fft_effort);
  printf("explicit|%d|\n", hed_backend_context_push("reference;threads=3", NULL));
  return hed_config_list(print_setting, NULL) > 0 ? 0 : 1;
}

/* ---- asking ---- */

static char answer[16384];

/* Runs this program as "report" with NAME, VALUE pairs in its environment, NULL at the end. */
static void ask(const char *self, ...)
{
  int fd[2];
  size_t used = 0;
  ssize_t n;
  va_list ap;
  if (pipe(fd) != 0)
    bail("pipe: %s", strerror(errno));
  pid_t p = fork();
  if (p == 0) {
    va_start(ap, self);
    for (const char *name; (name = va_arg(ap, const char *));)
      setenv(name, va_arg(ap, const char *), 1);
    va_end(ap);
    dup2(fd[1], 1);
    close(fd[0]);
    execl(self, self, "report", (char *)NULL);
    _exit(127);
  }
  close(fd[1]);
  while ((n = read(fd[0], answer + used, sizeof answer - 1 - used)) > 0)
    used += (size_t)n;
  answer[used] = '\0';
  close(fd[0]);
  waitpid(p, NULL, 0);
}

/* Field K (from 1) of the line that begins with NAME. */
static const char *field(const char *name, int k)
{
  static char out[4][2048];
  static int next;
  char *to = out[next++ % 4];
  size_t len = strlen(name);
  to[0] = '\0';
  for (const char *s = answer; s && *s; s = strchr(s, '\n') ? strchr(s, '\n') + 1 : NULL)
    if (strncmp(s, name, len) == 0 && s[len] == '|') {
      s += len + 1;
      for (int i = 1; i < k; i++)
        s += strcspn(s, "|\n") + 1;
      size_t n = k == 1 ? strcspn(s, "|\n") : strcspn(s, k == 3 ? "\n" : "|\n");
      snprintf(to, 2048, "%.*s", (int)n, s);
      break;
    }
  return to;
}

static const char *config(const char *folder, const char *text)
{
  static char path[2][PATH_MAX];
  static int next;
  char *p = path[next++ % 2];
  snprintf(p, PATH_MAX, "%s/%s", dir, folder);
  mkdir(p, 0755);
  size_t n = strlen(p);
  snprintf(p + n, PATH_MAX - n, "/heddle");
  mkdir(p, 0755);
  snprintf(p + n, PATH_MAX - n, "/heddle/config");
  FILE *f = fopen(p, "w");
  if (!f || fputs(text, f) < 0 || fclose(f) != 0)
    bail("%s: %s", p, strerror(errno));
  p[n] = '\0';
  return p;
}

static void test_precedence(const char *self)
{
  const char *home = config("home", "# a comment\nbackend = reference;threads=5 # and another\nnum_threads = 1\n");
  const char *etc = config("etc", "backend = reference;threads=6\ncache_dir = /tmp/of-etc\nlog = warn\n");
  ask(self, "XDG_CONFIG_HOME", home, "XDG_CONFIG_DIRS", etc, "HEDDLE_BACKEND", "reference;threads=4", NULL);
  is_str(field("in force", 2), "4", "the environment wins");
  is_str(field("backend", 1), "reference;threads=4", "it is the setting's value");
  is_str(field("backend", 2), "environment variable HEDDLE_BACKEND", "and named as its source");
  has_str(field("in force", 3), "HEDDLE_BACKEND", "the reason says so");
  ask(self, "XDG_CONFIG_HOME", home, "XDG_CONFIG_DIRS", etc, "HEDDLE_CACHE_DIR", "", NULL);
  is_str(field("in force", 2), "5", "then the user's file");
  has_str(field("backend", 2), "/home/heddle/config line 2", "named with the line");
  is_str(field("capacity", 1), "1", "num_threads of the file holds");
  is_str(field("cache_dir", 1), "/tmp/of-etc", "the system's file fills what is left");
  has_str(field("cache_dir", 2), "/etc/heddle/config line 2", "and is named");
  ask(self, "HEDDLE_CACHE_DIR", "auto", "XDG_CACHE_HOME", "/tmp/of-user", NULL);
  is_str(field("cache_dir", 1), "/tmp/of-user/heddle", "cache_dir=auto is the user's folder of caches");
  ask(self, "HEDDLE_CACHE_DIR", "auto", "XDG_CACHE_HOME", "of-user", "HOME", "/tmp/home", NULL);
  is_str(field("cache_dir", 1), "/tmp/home/.cache/heddle", "below HOME where no other is said");
  ask(self, "HEDDLE_CACHE_DIR", "auto", "XDG_CACHE_HOME", "", "HOME", "home", NULL);
  has_str(field("status", 2), "neither XDG_CACHE_HOME nor HOME is an absolute path for 'auto'", "without one it is an error");
  ask(self, "HEDDLE_CACHE_DIR", "", "XDG_CACHE_HOME", dir, NULL);
  has_str(field("cache_dir", 1), "/heddle", "not set, it is below a folder of the user's own");
  is_str(field("cache_dir", 2), "default", "without a source");
  ask(self, "HEDDLE_CACHE_DIR", "", "XDG_CACHE_HOME", "/nonexistent", "HOME", geteuid() ? "/" : "/nonexistent", NULL);
  is_str(field("cache_dir", 1), "none", "not below another's, or where there is none");
  is_str(field("status", 1), "0", "which is no error");
  ask(self, "HEDDLE_CACHE_DIR", "none", "XDG_CACHE_HOME", dir, NULL);
  is_str(field("cache_dir", 1), "none", "none is none");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", etc, NULL);
  is_str(field("in force", 2), "6", "then the system's file");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, NULL);
  is_str(field("status", 1), "0", "then the automatic choice");
  has_str(field("in force", 3), "automatically", "which is the reason");
  has_str(field("in force", 3), "reference", "and names who was considered");
  is_str(field("backend", 2), "default", "the source is the default");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "", NULL);
  is_str(field("backend", 2), "default", "an empty variable counts as not set");
  ask(self, "XDG_CONFIG_HOME", "home", "XDG_CONFIG_DIRS", "relative:also", "HOME", dir, NULL);
  is_str(field("status", 1), "0", "relative folders are ignored, as the XDG specification says");
  is_str(field("backend", 2), "default", "so nothing is configured");
}

static void test_invalid(const char *self)
{
  static const struct { const char *text, *source, *what; } files[] = {
    { "backend = nosuch\n", "config line 1", "nosuch" },
    { "\nbackend = reference;threads=x\n", "config line 2", "threads" },
    { "colour = red\n", "config line 1", "colour" },
    { "backend reference\n", "config line 1", "backend reference" },
    { "num_threads = many\n", "config line 1", "many" },
    { "plugin_path = /tmp\n", "config line 1", "plugin_path" },
    { "log = loud\n", "config line 1", "loud" },
    { "fft = quickly\n", "config line 1", "quickly" },
    { "fft_plans = 5000\n", "config line 1", "5000" },
    { "check = always\n", "config line 1", "always" },
    { "device_pool = lots\n", "config line 1", "lots" },
  };
  for (size_t k = 0; k < sizeof files / sizeof files[0]; k++) {
    ask(self, "XDG_CONFIG_HOME", config("bad", files[k].text), "XDG_CONFIG_DIRS", dir, NULL);
    ok(atoi(field("status", 1)) < 0, "a file with '%.*s' is an error", (int)strcspn(files[k].text + 1, "\n") + 1,
       files[k].text);
    has_str(field("status", 2), files[k].source, "that names the line");
    has_str(field("status", 2), files[k].what, "and the entry");
    is_str(field("explicit", 1), "0", "what is asked for explicitly still works");
  }
  static const struct { const char *name, *value; } variables[] = {
    { "HEDDLE_BACKEND", "nosuch" },
    { "HEDDLE_BACKEND", "reference;mix=shaken" },
    { "HEDDLE_DEVICE", "first" },
    { "HEDDLE_NUM_THREADS", "0" },
    { "HEDDLE_NUM_THREADS", "two" },
    { "HEDDLE_LOG", "loud" },
    { "HEDDLE_FFT", "quickly" },
    { "HEDDLE_FFT_PLANS", "0" },
    { "HEDDLE_CHECK", "no" },
  };
  for (size_t k = 0; k < sizeof variables / sizeof variables[0]; k++) {
    ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, variables[k].name, variables[k].value, NULL);
    ok(atoi(field("status", 1)) < 0, "%s=%s is an error", variables[k].name, variables[k].value);
    has_str(field("status", 2), variables[k].name, "that names the variable");
    is_str(field("explicit", 1), "0", "what is asked for explicitly still works");
  }
}

static void test_effort(const char *self)
{
  const char *home = config("fhome", "fft = Measure\nfft_plans = 7\n"), *etc = config("fetc", "fft = patient\n");
  ask(self, "XDG_CONFIG_HOME", home, "XDG_CONFIG_DIRS", etc, "HEDDLE_BACKEND", "reference", "HEDDLE_FFT", "exhaustive", NULL);
  is_str(field("effort", 1), "3", "HEDDLE_FFT goes before the files");
  is_str(field("fft", 2), "environment variable HEDDLE_FFT", "and is named");
  is_str(field("pushed effort", 1), "2", "a pushed context goes before it");
  is_str(field("fft_plans", 1), "7", "fft_plans of the user's file");
  ask(self, "XDG_CONFIG_HOME", home, "XDG_CONFIG_DIRS", etc, "HEDDLE_BACKEND", "reference", NULL);
  is_str(field("effort", 1), "1", "then the user's file");
  has_str(field("fft", 2), "/fhome/heddle/config line 1", "named with the line");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", etc, "HEDDLE_BACKEND", "reference;fft=estimate", NULL);
  is_str(field("effort", 1), "0", "an option of the root's spec goes before the system's file");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", etc, "HEDDLE_BACKEND", "reference", NULL);
  is_str(field("effort", 1), "2", "the system's file");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "reference", NULL);
  is_str(field("effort", 1), "0", "estimate is the default");
  is_str(field("fft", 1), "estimate", "which is shown");
}

static void test_check(const char *self)
{
  ask(self, "HEDDLE_BACKEND", "reference", "HEDDLE_CHECK", "sync", NULL);
  is_str(field("check", 1), "1", "HEDDLE_CHECK=sync is for all contexts");
  ask(self, "HEDDLE_BACKEND", "reference;check=async", "HEDDLE_CHECK", "sync", NULL);
  is_str(field("check", 1), "0", "but those that say otherwise");
  ask(self, "XDG_CONFIG_HOME", config("chome", "check = sync\n"), "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "reference", NULL);
  is_str(field("check", 1), "1", "so is the file's");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "reference", NULL);
  is_str(field("check", 1), "0", "nobody waits by default");
}

static void test_others(const char *self)
{
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_DISABLE", "cuda, Reference", "HEDDLE_BACKEND",
      "reference", NULL);
  ok(atoi(field("disabled", 1)) < 0, "a disabled backend cannot be had");
  has_str(field("status", 2), "HEDDLE_DISABLE", "and the sentence names what disabled it");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "reference", "HEDDLE_DEVICE", "0", NULL);
  is_str(field("in force", 1), "reference", "a device of its own for the backend");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_BACKEND", "reference;threads=2", "HEDDLE_DEVICE",
      "7", NULL);
  ok(atoi(field("status", 1)) < 0, "a device that is not there");
  has_str(field("status", 2), "7", "is named");
  ask(self, "XDG_CONFIG_HOME", dir, "XDG_CONFIG_DIRS", dir, "HEDDLE_NUM_THREADS", "1", NULL);
  is_str(field("capacity", 1), "1", "HEDDLE_NUM_THREADS holds");
  is_str(field("num_threads", 2), "environment variable HEDDLE_NUM_THREADS", "with its source");
}

int main(int argc, char **argv)
{
  if (argc > 1 && strcmp(argv[1], "report") == 0)
    return report();
  const char *tmp = getenv("TMPDIR");
  snprintf(dir, sizeof dir, "%s/heddle-config-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
  if (!mkdtemp(dir))
    bail("mkdtemp: %s", strerror(errno));
  unsetenv("HEDDLE_BACKEND");
  unsetenv("HEDDLE_PLUGIN_PATH");
  test_precedence(argv[0]);
  test_invalid(argv[0]);
  test_effort(argv[0]);
  test_check(argv[0]);
  test_others(argv[0]);
  char command[PATH_MAX];
  snprintf(command, sizeof command, "rm -rf '%s'", dir);
  if (system(command) != 0)
    diag("%s is left behind", dir);
  return done();
}
