// SPDX-License-Identifier: BSD-3-Clause
/* What the runtime's own files share about backends: the record with its state machine, reports, modules, fork. L2. */
#ifndef HED_CORE_REGISTRY_INTERNAL_H
#define HED_CORE_REGISTRY_INTERNAL_H

#include "core/ops/op_numbers.h"
#include "core/modules/registry.h"
#include "core/process/tls.h"
#include <sys/types.h>

typedef struct hed__report {
  struct hed__report *next;
  char *candidate;
  const char *stage; /* static: search, open, symbol, abi, probe, init, device, config, fork */
  int32_t status;
  char *reason;
} hed__report;

enum { HED__MAX_BACKENDS = 64, HED__MAX_DEVICES = 16 };

/* UNPROBED, LOADING by a thread, READY, FAILED: for a backend and for each of its devices. */
typedef struct hed__once {
  int state;      /* hed_backend_state */
  uint64_t owner; /* serial of the loading thread */
} hed__once;

struct hed__backend {
  char name[32];
  int number;              /* in the registry: the plug-in's slot of a thread's block */
  hed__once once;
  const hed_plugin *plugin;
  const void *given;       /* the plug-in where the module has it */
  hed__numbers *numbers;
  int32_t score, devices;
  char path[256];
  dev_t dev;               /* identity of the module's file */
  ino_t ino;
  hed__report *reports, **report_end;
  int32_t status;          /* of the last failure */
  char reason[512];
  hed__once device_once[HED__MAX_DEVICES];
  hed__device *device[HED__MAX_DEVICES];
  const hed__report *device_report[HED__MAX_DEVICES]; /* of its last failure */
};

/* ---- records.c ---- */

/* States of backends and devices are guarded by one lock. Await: gives it up until somebody says changed. */
void hed__registry_lock(void);
void hed__registry_unlock(void);
void hed__registry_await(void);
void hed__registry_changed(void);
bool hed__registry_await_until(const struct timespec *until); /* false: it is later */

/* How many threads are opening a file whose backend is not known yet (under the lock); MORE of them, which takes the lock. In a
 * child of fork, where the lock is made anew: were there any? */
int hed__registry_opening(void);
void hed__registry_opens(int more);
bool hed__registry_lock_fork_child(void);

/* Record K in the order of their making; NULL after the last. Under the lock. */
hed__backend *hed__registry_at(int k);

/* What was loaded. */
typedef struct hed__module {
  const hed_plugin *plugin; /* of full size */
  const void *given;        /* where the module has it */
  hed__numbers *numbers;
  const char *path;         /* "" when built in */
  dev_t dev;
  ino_t ino;
} hed__module;
void hed__backend_set_module(hed__backend *b, const hed__module *m);

/* Record of NAME, made when it is new; NULL when the table is full or memory is out (error set). Takes the lock. */
hed__backend *hed__backend_record(const char *name, size_t len);

/* Append a report, and make it the backend's reason. It stays for ever; NULL when there is no memory for it. Takes the lock. */
const hed__report *hed__backend_report(hed__backend *b, const char *candidate, const char *stage, int32_t status,
                                       const char *format, ...) HED_PRINTF(5, 6);

/* Another backend whose module is the same file, or NULL. */
hed__backend *hed__backend_by_file(dev_t dev, ino_t ino, const hed__backend *except);

/* The record of NAME if there is one. */
hed__backend *hed__backend_known(const char *name, size_t len);

/* The calling thread's pointer for a plug-in; NULL when there is none to be had. */
void **hed__registry_slot(const void *plugin);

/* ---- module.c ---- */

/* Find, open and check the module of B (no lock held); sets b->plugin and b->path. PATH NULL: search. */
hed_status hed__module_open(hed__backend *b, const char *path);

/* The same of a file whose name may be another than the plug-in's; *OUT its record. The error is set. */
hed_status hed__module_load(const char *path, hed__backend **out);

/* Add the names of module files found in the directories to the registry. */
void hed__module_scan(void);

/* What to say of relative entries of the path, which are never searched; "" when there are none. */
const char *hed__module_ignored(void);

/* Check a plug-in's struct (size, version, required members); reports to B. */
hed_status hed__plugin_check(hed__backend *b, const char *candidate, const hed_plugin *p);

/* ---- query.c ---- */

/* As hed__backend_find, of a name that may be NULL. */
hed__backend *hed__backend_named(const char *name);

/* ---- registry.c ---- */

/* Know the names of what is built in, usual, or has a module file. */
void hed__registry_know_all(void);

/* Is NAME a backend of this library's that needs a driver? */
bool hed__registry_is_driver(const char *name);

/* Record of a name that is built in, usual, or has a module file; NULL with HED_E_NOTFOUND set. */
hed__backend *hed__backend_find(const char *name, size_t len);

/* Make READY; see hed_backend_require. RETRY: a failed one is tried again. */
hed_status hed__backend_ready(hed__backend *b, bool retry);

/* Device INDEX of B, which is READY; AGAIN: one that was lost is made anew. NULL with the error set. */
hed__device *hed__backend_device(hed__backend *b, int32_t index, bool again);

extern const hed_plugin ref_plugin;

/* What plug-ins get, before the first one is made ready. */
void hed__registry_services(const hed_host_api *api);
extern const hed_host_api hed__host_api;

/* What others do when a device with memory of its own is made, before anybody has it, and when one is lost. Set once, while the
 * library is loaded (outside/lifecycle.c). */
typedef struct hed__device_hooks {
  void (*made)(hed__device *d), (*lost)(hed__device *d);
} hed__device_hooks;
void hed__registry_hook(const hed__device_hooks *h);

void hed__registry_thread_exit(hed__tls *t);
void hed__registry_fork_prepare(void); /* leaves the registry locked */
void hed__registry_fork_child(void);
void hed__registry_ending(void); /* of the main thread */
void hed__fftw_fork_prepare(void);
void hed__fftw_fork_parent(void);
void hed__fftw_fork_child(void);

#endif
