// SPDX-License-Identifier: BSD-3-Clause
/* faulty: what it is told to do, from HEDDLE_TEST_FAULTY in the environment and by hed_faulty_control. L1.
 *
 * Both take the same commands. The settings are the module's, not a device's: with two devices in use, "the n-th
 * submission" counts both.
 */
#include "backends/faulty/faulty.h"
#include <stdlib.h>
#include <string.h>

#define DEFAULTS .delay_us = 100, .memory = 64 << 20, .devices = HED__FAULTY_DEVICES, .probe = 1

hed__faulty_settings hed__faulty = { .lock = PTHREAD_MUTEX_INITIALIZER, DEFAULTS };

static const struct {
  const char *name;
  size_t offset;
  bool counter;
} fields[] = {
#define F(f, c) { #f, offsetof(hed__faulty_settings, f), c }
  F(fail, false), F(sticky, false), F(oom, false), F(full, false), F(hold, false), F(ordered, false),
  F(init_fail, false), F(init_sleep_ms, false), F(delay_us, false), F(memory, false), F(devices, false),
  F(probe, false), F(probes, true), F(inits, true), F(submissions, true), F(allocations, true), F(frees, true),
  F(waits, true), F(copies, true),
#undef F
};
enum { N_FIELDS = sizeof fields / sizeof fields[0] };

static int64_t *field(const char *name, size_t len, bool counters)
{
  for (int k = 0; k < N_FIELDS; k++)
    if (strlen(fields[k].name) == len && memcmp(fields[k].name, name, len) == 0 && (counters || !fields[k].counter))
      return (int64_t *)(void *)((char *)&hed__faulty + fields[k].offset);
  return NULL;
}

/* The settings as they were at the start; counters stay. The lock is held. */
static void reset(void)
{
  static const hed__faulty_settings initial = { DEFAULTS };
  for (int k = 0; k < N_FIELDS; k++)
    if (!fields[k].counter)
      memcpy((char *)&hed__faulty + fields[k].offset, (const char *)&initial + fields[k].offset, sizeof(int64_t));
}

int hed_faulty_control(const char *command)
{
  int result = 0;
  pthread_mutex_lock(&hed__faulty.lock);
  for (const char *s = command; s && *s;) {
    size_t len = strcspn(s, ";"), name = strcspn(s, "=;");
    if (len == 5 && memcmp(s, "reset", 5) == 0) {
      reset();
    } else {
      int64_t *f = field(s, name, false);
      char *end = NULL;
      int64_t value = name < len ? strtoll(s + name + 1, &end, 10) : 0;
      if (f && end == s + len && end != s + name + 1 && value >= 0)
        *f = value;
      else
        result = -1;
    }
    s += len + (s[len] == ';');
  }
  pthread_mutex_unlock(&hed__faulty.lock);
  return result;
}

int64_t hed_faulty_query(const char *name)
{
  pthread_mutex_lock(&hed__faulty.lock);
  const int64_t *f = field(name, strlen(name), true);
  int64_t value = f ? *f : -1;
  pthread_mutex_unlock(&hed__faulty.lock);
  return value;
}

static void from_environment(void)
{
  (void)hed_faulty_control(secure_getenv("HEDDLE_TEST_FAULTY"));
}

void hed__faulty_configure(void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, from_environment);
}

bool hed__faulty_tick(int64_t *counter, int64_t *countdown)
{
  bool hit = false;
  pthread_mutex_lock(&hed__faulty.lock);
  if (counter)
    ++*counter;
  if (countdown && *countdown > 0)
    hit = --*countdown == 0;
  pthread_mutex_unlock(&hed__faulty.lock);
  return hit;
}
