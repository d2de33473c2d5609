// SPDX-License-Identifier: BSD-3-Clause
/* Hard situations of loading modules: every way to be broken, many threads at once, loading that calls back, other
 * libraries being loaded meanwhile, the same module by several names. L5.
 *
 * Works in a folder of its own, filled with copies of tests/modules/chameleon.c under names that say what they do.
 */
#include "arrays.h"
#include "scenario.h"
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <sys/stat.h>

static char dir[PATH_MAX / 2], second[PATH_MAX / 2], third[PATH_MAX / 2];

/* ---- files ---- */

static void write_file(const char *path, const void *data, size_t n)
{
  FILE *f = fopen(path, "wb");
  if (!f || fwrite(data, 1, n, f) != n || fclose(f) != 0)
    bail("cannot write %s: %s", path, strerror(errno));
  chmod(path, 0755);
}

static char *read_file(const char *path, size_t *n)
{
  FILE *f = fopen(path, "rb");
  struct stat st;
  char *data;
  if (!f || fstat(fileno(f), &st) != 0 || !(data = malloc((size_t)st.st_size + 1)))
    bail("cannot read %s: %s", path, strerror(errno));
  *n = fread(data, 1, (size_t)st.st_size, f);
  fclose(f);
  return data;
}

static const char *in(const char *folder, const char *name)
{
  static char path[4][PATH_MAX];
  static int next;
  char *p = path[next++ % 4];
  snprintf(p, PATH_MAX, "%s/%s.so", folder, name);
  return p;
}

static const char *module(const char *name)
{
  static char path[PATH_MAX];
  const char *build = getenv("HEDDLE_TEST_BUILDDIR");
  snprintf(path, sizeof path, "%s/tests/modules/.libs/%s.so", build ? build : ".", name);
  return path;
}

static void copy_module(const char *from, const char *folder, const char *name)
{
  size_t n;
  char *data = read_file(module(from), &n);
  write_file(in(folder, name), data, n);
  free(data);
}

static void make_folder(char *path, size_t cap)
{
  const char *tmp = getenv("TMPDIR");
  snprintf(path, cap, "%s/heddle-plugins-XXXXXX", tmp && tmp[0] == '/' ? tmp : "/tmp");
  if (!mkdtemp(path))
    bail("mkdtemp %s: %s", path, strerror(errno));
}

static void clean_up(void)
{
  char command[3 * PATH_MAX];
  snprintf(command, sizeof command, "rm -rf '%s' '%s' '%s'", dir, second, third);
  if (system(command) != 0)
    diag("%s is left behind", dir);
}

/* ---- reports ---- */

typedef struct report {
  const char *about; /* candidate to look for, NULL: the last record */
  int n, status;
  char stage[32], reason[1024], all[8192];
} report;

static void take(void *arg, const char *candidate, const char *stage, int32_t status, const char *reason)
{
  report *r = arg;
  size_t len = strlen(r->all);
  r->n++;
  if (!r->about || strcmp(r->about, candidate) == 0) {
    r->status = status;
    snprintf(r->stage, sizeof r->stage, "%s", stage);
    snprintf(r->reason, sizeof r->reason, "%s", reason);
  }
  snprintf(r->all + len, sizeof r->all - len, "[%s %s %d %s] ", candidate, stage, (int)status, reason);
}

static report explain(const char *name, const char *about)
{
  report r = { .about = about };
  int n = hed_backend_explain(name, take, &r);
  if (n != r.n)
    fail("explain said %d records and gave %d", n, r.n);
  return r;
}

static int state_of(const char *name)
{
  hed_backend_info info = { .struct_size = sizeof info };
  return hed_backend_query(name, &info) == HED_OK ? info.state : -1;
}

/* ---- 16: every way to be broken ---- */

typedef struct broken { const char *name, *stage, *reason; hed_status status; } broken;

static void test_matrix(void)
{
  static const broken list[] = {
    { "text", "open", "invalid ELF header", HED_E_UNAVAILABLE },
    { "class", "open", "wrong ELF class", HED_E_UNAVAILABLE },
    { "empty", "open", "file too short", HED_E_UNAVAILABLE },
    { "undefined", "open", "chameleon_of_another_world", HED_E_UNAVAILABLE },
    { "bare", "symbol", "hed_plugin_entry_v1", HED_E_ABI },
    { "null", "abi", "refuses", HED_E_ABI },
    { "major", "abi", "42", HED_E_ABI },
    { "tiny", "abi", "16", HED_E_ABI },
    { "huge", "abi", "4294967295", HED_E_ABI },
    { "unnamed", "abi", "does not give op_names", HED_E_ABI },
    { "streamless", "abi", "does not give stream", HED_E_ABI },
    { "oneorder", "abi", "in one order", HED_E_ABI },
    { "twiceop", "abi", "op_names has 'add' twice", HED_E_ABI },
    { "unlisted", "abi", "build it again", HED_E_ABI },
    { "decline", "probe", "does not like this place", HED_E_UNAVAILABLE },
    { "noinit", "init", "sulks on device 0", HED_E_UNAVAILABLE },
    { "nodevice", "device", "no devices", HED_E_UNAVAILABLE },
  };
  size_t n;
  static char text[4096];
  memset(text, 'x', sizeof text);
  write_file(in(dir, "text"), text, sizeof text);
  write_file(in(dir, "empty"), "", 0);
  char *elf = read_file(module("chameleon"), &n);
  elf[4] = 1; /* EI_CLASS: 32 bits */
  write_file(in(dir, "class"), elf, n);
  free(elf);
  copy_module("undefined", dir, "undefined");
  copy_module("bare", dir, "bare");
  for (size_t k = 5; k < sizeof list / sizeof list[0]; k++)
    copy_module("chameleon", dir, list[k].name);

  for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
    const broken *b = &list[k];
    is_int(state_of(b->name), HED_BACKEND_UNPROBED, "%s: known before it is tried", b->name);
    is_int(hed_backend_require(b->name), b->status, "%s: %s", b->name, hed_status_text(b->status));
    has_str(hed_error_text(), b->name, "%s: the sentence names it", b->name);
    has_str(hed_error_text(), b->reason, "%s: and says why", b->name);
    report r = explain(b->name, strcmp(b->stage, "init") ? in(dir, b->name) : b->name);
    is_str(r.stage, b->stage, "%s: the report has the stage for the path", b->name);
    ok(r.status < 0, "%s: the code", b->name);
    if (!has_str(r.reason, b->reason, "%s: the reason, the loader's own words where it spoke", b->name))
      diag("report: %s", r.all);
    is_int(state_of(b->name), HED_BACKEND_FAILED, "%s: the state", b->name);
    is_int(hed_backend_context_push(b->name, NULL), b->status, "%s: cannot be pushed", b->name);
  }
  is_int(hed_context_depth(), 0, "no frame came of it");

  is_int(hed_backend_require("missing"), HED_E_NOTFOUND, "a backend without a file");
  has_str(hed_error_text(), "missing", "is named");
  has_str(hed_error_text(), "HEDDLE_PLUGIN_PATH", "with where it was looked for");
  is_int(hed_backend_explain("missing", NULL, NULL), HED_E_NOTFOUND, "and has no report");
  is_int(hed_backend_load("/nonexistent/where.so"), HED_E_NOTFOUND, "loading a path that is not there");
  has_str(hed_error_text(), "/nonexistent/where.so", "names the path");
  is_int(hed_backend_load("where.so"), HED_E_INVAL, "a relative path is refused");
}

/* The working directory has a folder that the path names without a slash in front. */
static void test_relative(void)
{
  char folder[PATH_MAX], back[PATH_MAX];
  snprintf(folder, sizeof folder, "%s/relative", third);
  mkdir(folder, 0755);
  snprintf(folder, sizeof folder, "%s/relative/folder", third);
  mkdir(folder, 0755);
  copy_module("chameleon", folder, "nearby");
  copy_module("chameleon", third, "inplace");
  if (!getcwd(back, sizeof back) || chdir(third) != 0)
    bail("chdir: %s", strerror(errno));
  is_int(hed_backend_require("nearby"), HED_E_NOTFOUND, "a relative entry of the path is not searched");
  is_int(hed_backend_require("inplace"), HED_E_NOTFOUND, "nor is the working directory");
  if (chdir(back) != 0)
    bail("chdir: %s", strerror(errno));
}

/* A sum and a place of what is pending are recorded, and right. */
static void fused_places(const char *backend)
{
  const float numbers[] = { 3, -2, 1, -2 };
  hed_array *sum = NULL, *at = NULL;
  double total = 0, place = 0;
  HED_BACKEND_CONTEXT(backend)
    HED_FUSED {
      hed_array *x = hed_from_host(numbers, HED_SHAPE(4), HED_FLOAT32), *t = hed_negative(x);
      sum = hed_sum(t, NULL);
      at = hed_argmax(t, NULL);
      ok(hed_array_is_pending(sum) && hed_array_is_pending(at), "%s: a sum and a place are recorded", backend);
      RELEASE(x, t);
    }
  ok(sum && hed_item(sum, &total) == HED_OK && total == 0, "%s: the sum", backend);
  ok(at && hed_item(at, &place) == HED_OK && place == 1, "%s: the place: %s", backend, hed_error_text());
  RELEASE(sum, at);
}

static void test_others(void)
{
  static const char *const good[] = { "older", "newer", "strange", "plain" };
  for (int k = 0; k < 4; k++) {
    copy_module("chameleon", dir, good[k]);
    is_int(hed_backend_require(good[k]), HED_OK, "%s: loads beside the broken ones", good[k]);
    is_int(state_of(good[k]), HED_BACKEND_READY, "%s: is ready", good[k]);
    HED_BACKEND_CONTEXT(good[k]) {
      double sum = 0;
      hed_array *x = hed_arange(0, 5, 1, HED_FLOAT32), *s = hed_sum(x, NULL);
      ok(hed_item(s, &sum) == HED_OK && sum == 10, "%s: works through the reference backend", good[k]);
      is_str(hed_get_backend(), good[k], "%s: is in force", good[k]);
      RELEASE(x, s);
    }
  }
  report r = explain("strange", NULL);
  has_str(r.all, "transmogrify", "an unknown operation is reported");
  copy_module("chameleon", dir, "fuses");
  is_int(hed_backend_fuses("fuses"), 1, "fuses: does fused calls");
  fused_places("fuses");
  is_int(hed_backend_fuses("plain"), 0, "plain: does none");
}

/* ---- 17: many threads at once ---- */

static pthread_barrier_t gate;
static atomic_int granted;

static void *require_slow(void *arg)
{
  pthread_barrier_wait(&gate);
  atomic_fetch_add(&granted, hed_backend_require(arg) == HED_OK);
  return NULL;
}

static int call_module(const char *name, const char *function)
{
  int (*fn)(void);
  void *h = dlopen(in(dir, name), RTLD_NOW | RTLD_NOLOAD), *p = h ? dlsym(h, function) : NULL;
  memcpy(&fn, &p, sizeof fn);
  return p ? fn() : -1;
}

static void test_once(void)
{
  enum { N = 16 };
  pthread_t t[N];
  copy_module("chameleon", dir, "slow");
  pthread_barrier_init(&gate, NULL, N);
  for (int k = 0; k < N; k++)
    if (hed_thread_create(&t[k], NULL, require_slow, (void *)(uintptr_t) "slow") != 0)
      bail("no thread");
  for (int k = 0; k < N; k++)
    pthread_join(t[k], NULL);
  pthread_barrier_destroy(&gate);
  is_int(atomic_load(&granted), N, "16 threads ask for a backend at once and get it");
  is_int(call_module("slow", "chameleon_inits"), 1, "it was initialised once");

  copy_module("chameleon", dir, "flaky");
  is_int(hed_backend_require("flaky"), HED_E_UNAVAILABLE, "a backend whose first initialisation fails");
  is_int(hed_backend_require("flaky"), HED_OK, "comes up when asked for again");
  is_int(call_module("flaky", "chameleon_inits"), 2, "after a second one");
  is_int(state_of("flaky"), HED_BACKEND_READY, "and is ready");
}

/* ---- 18: loading that calls back ---- */

static atomic_int pair_done;

static void *require_pair(void *arg)
{
  pthread_barrier_wait(&gate);
  (void)hed_backend_require(arg);
  atomic_fetch_add(&pair_done, 1);
  return NULL;
}

static void test_callbacks(void)
{
  copy_module("chameleon", dir, "thread");
  is_int(hed_backend_require("thread"), HED_OK, "a module whose constructor starts a thread that uses Heddle");
  is_int(call_module("thread", "chameleon_thread_saw"), 1, "and the thread got through");
  copy_module("chameleon", dir, "self");
  is_int(hed_backend_require("self"), HED_OK, "a module whose init asks for itself");
  is_int(call_module("self", "chameleon_asked"), HED_E_REENTRANT, "is told so");

  pthread_t t[2];
  copy_module("chameleon", dir, "paira");
  copy_module("chameleon", dir, "pairb");
  pthread_barrier_init(&gate, NULL, 2);
  for (int k = 0; k < 2; k++)
    if (hed_thread_create(&t[k], NULL, require_pair, (void *)(uintptr_t)(k ? "paira" : "pairb")) != 0)
      bail("no thread");
  for (int k = 0; k < 500 && atomic_load(&pair_done) < 2; k++)
    sleep_ms(10);
  if (!is_int(atomic_load(&pair_done), 2, "two modules whose inits ask for each other do not wait for ever"))
    bail("deadlock");
  for (int k = 0; k < 2; k++)
    pthread_join(t[k], NULL);
  pthread_barrier_destroy(&gate);
  int a = call_module("paira", "chameleon_asked"), b = call_module("pairb", "chameleon_asked");
  ok(a == HED_E_REENTRANT || b == HED_E_REENTRANT, "one of them is told that it runs in a circle (%d, %d)", a, b);
}

/* ---- 19: another library is being loaded ---- */

static atomic_bool opened;

static void *open_block(void *arg)
{
  void *h = dlopen(arg, RTLD_NOW | RTLD_LOCAL);
  atomic_store(&opened, true);
  return h;
}

static void *first_operations(void *arg)
{
  double v = 0;
  hed_array *x = hed_full(HED_SHAPE(3), 2, HED_FLOAT32), *y = hed_log1p(x), *s = hed_sum(y, NULL);
  if (hed_item(s, &v) == HED_OK && v > 3)
    atomic_fetch_add((atomic_int *)arg, 1);
  RELEASE(x, y, s);
  return NULL;
}

static void test_loader_lock(void)
{
  pthread_t t;
  atomic_int worked = 0;
  copy_module("chameleon", dir, "block");
  if (pthread_create(&t, NULL, open_block, (void *)(uintptr_t)in(dir, "block")) != 0)
    bail("no thread");
  sleep_ms(100); /* into its constructor, which sleeps for a second and a half */
  for (int k = 0; k < 4; k++)
    in_thread(first_operations, &worked);
  ok(!atomic_load(&opened), "threads come, work and go while another thread is inside dlopen");
  is_int(atomic_load(&worked), 4, "and compute");
  pthread_join(t, NULL);
}

/* ---- 21: the same module by several names ---- */

static void test_duplicates(void)
{
  const char *names[64];
  int n = hed_backend_list(names, 64), count = 0;
  for (int k = 0; k < n && k < 64; k++)
    count += strcmp(names[k], "okay") == 0;
  is_int(count, 1, "a module found in two folders, one of them a link to it, is listed once");
  is_int(hed_backend_require("okay"), HED_OK, "and loads");
  is_int(call_module("okay", "chameleon_inits"), 1, "once");
  is_int(hed_backend_load(in(third, "okay")), HED_OK, "loading it by a third path that leads to the same file");
  is_int(call_module("okay", "chameleon_inits"), 1, "gives the copy that is there");

  copy_module("chameleon", dir, "alias");
  hed_status s = hed_backend_load(in(dir, "alias"));
  ok(s < 0, "another module that claims the name is refused: %s", hed_error_text());
  has_str(hed_error_text(), "okay", "the sentence names the backend");
  report r = explain("okay", NULL);
  has_str(r.all, in(dir, "alias"), "its report has the skip");
  is_int(call_module("okay", "chameleon_inits"), 1, "the first one stays");
  is_int(state_of("okay"), HED_BACKEND_READY, "and is ready");
}

int main(void)
{
  char path[3 * PATH_MAX];
  make_folder(dir, sizeof dir);
  make_folder(second, sizeof second);
  make_folder(third, sizeof third);
  atexit(clean_up);
  if (access(module("chameleon"), R_OK) != 0)
    skip_all("%s is not built", module("chameleon"));
  copy_module("chameleon", dir, "okay");
  if (symlink(in(dir, "okay"), in(second, "okay")) != 0 || symlink(in(dir, "okay"), in(third, "okay")) != 0)
    bail("symlink: %s", strerror(errno));
  /* every file of the later groups is there when the folders are first read */
  static const char *const later[] = { "older", "newer", "strange", "plain", "slow", "flaky", "thread", "self",
                                       "paira", "pairb", "alias" };
  for (size_t k = 0; k < sizeof later / sizeof later[0]; k++)
    copy_module("chameleon", dir, later[k]);
  snprintf(path, sizeof path, "%s:%s:relative/folder:%s", dir, second, dir);
  setenv("HEDDLE_PLUGIN_PATH", path, 1);
  if (hed_set_default_backend("reference") != HED_OK)
    bail("set_default: %s", hed_error_text());
  test_matrix();
  test_relative();
  test_others();
  test_once();
  test_callbacks();
  test_loader_lock();
  test_duplicates();
  return done();
}
