// SPDX-License-Identifier: BSD-3-Clause
/* A module that behaves as its file is called: tests copy it under many names. L5.
 *
 *   null      the entry refuses          decline   probe says no           slow      loading takes a while
 *   major     another major version      noinit    init always fails       flaky     the first init fails
 *   older     a smaller table            nodevice  no devices              thread    a thread calls in while loading
 *   newer     a larger table             huge      an absurd size          self      init asks for itself
 *   alias     calls itself "okay"        tiny      too small a size        paira, pairb   init asks for the other
 *   strange   lists an operation that does not exist          evil      says on stderr that its code ran
 *   fuses     does fused calls
 *   eager     scores highest; its sqrt of float32 gives 1000 and the threads it may use, and is not for two elements
 *   planner   makes plans of Fourier transforms, but leaves the transforms to others
 *   unnamed   gives no names of operations             twiceop   gives one twice
 *   unlisted  by an interface without names, with a list of operations that nobody knows
 *   anything else: a plain host backend without operations of its own, called as its file is
 */
#include <heddle/backend.h>
#include <heddle/op_names.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static char name[32];
static hed_plugin plugin;
static const hed_host_api *host;
static atomic_int inits, asked = 1, thread_saw;

HED_API int chameleon_inits(void);
HED_API int chameleon_asked(void);
HED_API int chameleon_thread_saw(void);
HED_API const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor);

int chameleon_inits(void) { return atomic_load(&inits); }
/* What hed_backend_require said in init; 1 when it was not asked. */
int chameleon_asked(void) { return atomic_load(&asked); }
int chameleon_thread_saw(void) { return atomic_load(&thread_saw); }

static bool called(const char *s)
{
  return strcmp(name, s) == 0;
}

static void sleep_ms(long ms)
{
  struct timespec t = { ms / 1000, ms % 1000 * 1000000 };
  nanosleep(&t, NULL);
}

/* A function of the program's own libheddle. */
static void *of_heddle(const char *symbol)
{
  return dlsym(RTLD_DEFAULT, symbol);
}

static int require(const char *backend)
{
  int (*fn)(const char *);
  void *p = of_heddle("hed_backend_require");
  memcpy(&fn, &p, sizeof fn);
  return p ? fn(backend) : 2;
}

static const char *(*get)(void);
static int (*push)(const char *, void *);

static void *call_in(void *arg)
{
  (void)arg;
  if (get()[0] && push("reference;threads=3", NULL) == HED_OK && strcmp(get(), "reference") == 0)
    atomic_store(&thread_saw, 1);
  return NULL;
}

/* A thread that calls in while its creator waits for it inside dlopen. The look-ups are made here: they need the
 * loader's lock, which this thread holds. */
static void call_from_thread(void)
{
  pthread_t t;
  void *g = of_heddle("hed_get_backend"), *p = of_heddle("hed_backend_context_push");
  memcpy(&get, &g, sizeof get);
  memcpy(&push, &p, sizeof push);
  if (g && p && pthread_create(&t, NULL, call_in, NULL) == 0)
    pthread_join(t, NULL);
}

__attribute__((constructor)) static void loaded(void)
{
  Dl_info info;
  const char *base;
  if (!dladdr((void *)&plugin, &info) || !info.dli_fname)
    return;
  base = strrchr(info.dli_fname, '/');
  base = base ? base + 1 : info.dli_fname;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(base, "."), base);
  if (called("slow"))
    sleep_ms(150);
  if (called("block"))
    sleep_ms(1500);
  if (called("thread"))
    call_from_thread();
  if (called("evil") || called("swapped"))
    fputs("code of evil ran\n", stderr);
}

static int32_t probe(char *why, size_t cap)
{
  if (called("decline")) {
    snprintf(why, cap, "the chameleon does not like this place");
    return 0;
  }
  return called("eager") ? 1000000 : 1;
}

static int32_t no_devices(void)
{
  return 0;
}

static int32_t init(const hed_host_api *h, int32_t device, void **state)
{
  host = h;
  int n = atomic_fetch_add(&inits, 1);
  *state = &plugin;
  if (called("slow"))
    sleep_ms(50);
  if (called("noinit") || (called("flaky") && n == 0))
    return host->fail(HED_E_UNAVAILABLE, "the chameleon sulks on device %d", (int)device);
  if (called("self"))
    atomic_store(&asked, require("self"));
  if (called("paira"))
    atomic_store(&asked, require("pairb"));
  if (called("pairb"))
    atomic_store(&asked, require("paira"));
  return HED_OK;
}

static int32_t nothing(void *state, const hed_call *call)
{
  (void)state;
  (void)call;
  return HED_OK;
}

/* Its operations run through the reference backend, alone; in a pass it knows those of float32 on what is contiguous:
 * negative, and sum and argmax over all of it. */
static int32_t elsewhere(void *state, const hed_call *call)
{
  (void)state;
  (void)call;
  return HED_E_UNSUPPORTED;
}

static int32_t eager_sqrt(void *state, const hed_call *call)
{
  (void)state;
  const hed_view *y = call->out[0];
  const int64_t n = y->ndim == 1 ? y->dim[0] : 1;
  if (n == 2)
    return host->fail(HED_E_UNSUPPORTED, "the chameleon does not like pairs");
  for (int64_t i = 0; i < n; i++)
    *(float *)(void *)((char *)y->data + i * (y->ndim ? y->stride[0] : 0)) = 1000 + (float)call->max_threads;
  return call->op == HED_OP_SQRT && !call->ticket && call->n_wait_for == 0 ? HED_OK : HED_E_INTERNAL;
}

static int32_t make_plan(void *state, const hed_call *call, void **plan)
{
  (void)call;
  *plan = state;
  return HED_OK;
}

static void free_plan(void *state, void *plan)
{
  (void)state;
  (void)plan;
}

static int32_t fuse(void *state, const hed_fused_call *call)
{
  (void)state;
  if (call->n_in != 1 || call->step[0].op != HED_OP_NEGATIVE)
    return host->fail(HED_E_UNSUPPORTED, "the chameleon fuses nothing like that");
  const float *x = call->in[0]->data;
  int64_t n = 1;
  for (int32_t k = 0; k < call->ndim; k++)
    n *= call->dim[k];
  for (int64_t i = 0; i < n && call->step[0].out >= 0; i++)
    ((float *)call->out[call->step[0].out]->data)[i] = -x[i];
  for (int32_t k = 1; k < call->n_steps; k++) {
    const hed_fused_step *s = &call->step[k];
    float sum = 0;
    int64_t at = 0;
    for (int64_t i = 0; i < n; i++) {
      sum -= x[i];
      at = x[i] < x[at] ? i : at;
    }
    if (s->op == HED_OP_ARGMAX)
      *(int64_t *)call->out[s->out]->data = at;
    else if (s->op == HED_OP_SUM)
      *(float *)call->out[s->out]->data = sum;
  }
  return HED_OK;
}

static const hed_op_entry none[] = { { NULL, NULL, 0 } };
static const hed_op_entry some[] = { { "negative", elsewhere, 0 }, { "sum", elsewhere, 0 }, { "argmax", elsewhere, 0 },
                                     { NULL, NULL, 0 } };
static const hed_op_entry eager[] = { { "sqrt", eager_sqrt, 1u << HED_ID_FLOAT32 }, { NULL, NULL, 0 } };
static const hed_op_entry transforms[] = { { "fft", elsewhere, 0 }, { NULL, NULL, 0 } };
static const char *const same_names[] = { "add", "add" };
static const hed_op_entry strange[] = { { "transmogrify", nothing, 0 }, { NULL, NULL, 0 } };

const hed_plugin *hed_plugin_entry_v1(uint32_t major, uint32_t minor)
{
  (void)major;
  (void)minor;
  plugin = (hed_plugin){
    .struct_size = sizeof plugin, .abi_major = HED_ABI_MAJOR, .abi_minor = HED_ABI_MINOR, .n_ops = HED_OP_COUNT_,
    .op_names = hed_op_names,
    .name = called("alias") ? "okay" : name, .version = "7", .ops = called("strange") ? strange : none,
    .flags = HED_PLUGIN_HOST_MEMORY, .probe = probe, .init = init,
  };
  if (called("null"))
    return NULL;
  if (called("streamless") || called("oneorder"))
    plugin.flags |= HED_PLUGIN_STREAMS | (called("oneorder") ? HED_PLUGIN_ORDERED : 0);
  if (called("major"))
    plugin.abi_major = HED_ABI_MAJOR + 41;
  if (called("older")) {
    plugin.struct_size = offsetof(hed_plugin, trim);
    plugin.abi_minor = 2;
    plugin.n_ops = 432; /* of its time */
  }
  if (called("newer")) {
    plugin.struct_size += 64;
    plugin.abi_minor += 3;
  }
  if (called("huge"))
    plugin.struct_size = UINT32_MAX;
  if (called("tiny"))
    plugin.struct_size = 16;
  if (strncmp(name, "fuse", 4) == 0) {
    plugin.fuse = fuse;
    plugin.ops = some;
  }
  if (called("eager"))
    plugin.ops = eager;
  if (called("planner")) {
    plugin.ops = transforms;
    plugin.fft_plan_make = make_plan;
    plugin.fft_plan_free = free_plan;
  }
  if (called("unnamed"))
    plugin.op_names = NULL;
  if (called("twiceop")) {
    plugin.op_names = same_names;
    plugin.n_ops = 2;
  }
  if (called("unlisted")) {
    plugin.abi_minor = 2;
    plugin.n_ops = 7;
  }
  if (called("nodevice"))
    plugin.devices = no_devices;
  return &plugin;
}
