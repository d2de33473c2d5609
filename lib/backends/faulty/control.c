// SPDX-License-Identifier: BSD-3-Clause
/* faulty: what it is told to do, from HEDDLE_TEST_FAULTY in the environment and by hed_faulty_control. L1.
 *
 * Both take the same commands. The settings are the module's, not a device's: with two devices in use, "the n-th
 * submission" counts both.
 */
#include "backends/faulty/faulty.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

pthread_mutex_t faulty_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t faulty_changed = PTHREAD_COND_INITIALIZER;

faulty_settings faulty_state = {
#define S(name, initial) .name = initial,
  FAULTY_SETTINGS(S)
#undef S
};

typedef struct entry {
  const char *name;
  _Atomic int64_t *value;
  int64_t initial;
} entry;

#define S(name, initial) { #name, &faulty_state.name, initial },
static const entry settings[] = { FAULTY_SETTINGS(S) };
static const entry counters[] = {
  FAULTY_COUNTERS(S)
  { "bytes_in:0", &faulty_state.device_bytes_in[0], 0 },
  { "bytes_in:1", &faulty_state.device_bytes_in[1], 0 },
  { "bytes_out:0", &faulty_state.device_bytes_out[0], 0 },
  { "bytes_out:1", &faulty_state.device_bytes_out[1], 0 },
};
#undef S
#define COUNT(a) (sizeof(a) / sizeof *(a))

static _Atomic int64_t *find(const entry *list, size_t n, const char *name, size_t len)
{
  for (size_t k = 0; k < n; k++)
    if (strlen(list[k].name) == len && memcmp(list[k].name, name, len) == 0)
      return list[k].value;
  return NULL;
}

int hed_faulty_control(const char *command)
{
  const bool held = atomic_load(&faulty_state.hold) != 0;
  int result = 0;
  for (const char *s = command; s && *s;) {
    size_t len = strcspn(s, ";"), name = strcspn(s, "=;");
    if (len == 5 && memcmp(s, "reset", 5) == 0) {
      for (size_t k = 0; k < COUNT(settings); k++)
        atomic_store(settings[k].value, settings[k].initial);
    } else {
      _Atomic int64_t *value = find(settings, COUNT(settings), s, name);
      char *end = NULL;
      int64_t number = name < len ? strtoll(s + name + 1, &end, 10) : 0;
      if (value && end == s + len && end != s + name + 1 && number >= 0)
        atomic_store(value, number);
      else
        result = -1;
    }
    s += len + (s[len] == ';');
  }
  if (held && atomic_load(&faulty_state.hold) == 0) { /* streams that stand still go on */
    pthread_mutex_lock(&faulty_lock);
    pthread_cond_broadcast(&faulty_changed);
    pthread_mutex_unlock(&faulty_lock);
  }
  return result;
}

int64_t hed_faulty_query(const char *name)
{
  _Atomic int64_t *value = find(settings, COUNT(settings), name, strlen(name));
  if (!value)
    value = find(counters, COUNT(counters), name, strlen(name));
  return value ? atomic_load(value) : -1;
}

static void from_environment(void)
{
  (void)hed_faulty_control(secure_getenv("HEDDLE_TEST_FAULTY"));
}

void faulty_configure(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, from_environment);
}

/* Down by one unless it is 0; true when it has become 0. */
static bool down(_Atomic int64_t *countdown)
{
  int64_t left = atomic_load(countdown);
  while (left > 0 && !atomic_compare_exchange_weak(countdown, &left, left - 1))
    ;
  return left == 1;
}

bool faulty_tick(_Atomic int64_t *counter, _Atomic int64_t *countdown)
{
  if (counter)
    atomic_fetch_add(counter, 1);
  return down(countdown);
}

bool faulty_call(_Atomic int64_t *counter, _Atomic int64_t *countdown)
{
  bool any = down(&faulty_state.fail_any);
  return faulty_tick(counter, countdown) || any;
}

/* ---- violations ---- */

static char first_violation[FAULTY_TEXT];

void faulty_violated(const faulty_device *d, const char *text)
{
  d->host->log(HED_LOG_ERROR, "faulty", "%s", text);
  if (atomic_fetch_add(&faulty_state.violations, 1) == 0)
    snprintf(first_violation, sizeof first_violation, "%s", text);
}

const char *hed_faulty_violation(void) { return first_violation; }
