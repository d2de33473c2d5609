// SPDX-License-Identifier: BSD-3-Clause
/* The log. L2. The callback and its level change together, under a lock that no message holds while it is delivered. */
#include "core/process/log.h"
#include "base/cancel.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <strings.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static hed_log_fn callback;
static void *callback_arg;
static atomic_int threshold = HED_LOG_OFF;

static const char *const names[] = { "off", "error", "warn", "info", "debug" };

void hed_log_set(hed_log_level level, hed_log_fn fn, void *arg)
{
  pthread_mutex_lock(&lock);
  callback = fn;
  callback_arg = arg;
  atomic_store(&threshold, fn ? (int)level : (int)HED_LOG_OFF);
  pthread_mutex_unlock(&lock);
}

hed_log_level hed_log_level_by_name(const char *name)
{
  for (int i = 0; name && i < (int)(sizeof names / sizeof names[0]); i++)
    if (strcasecmp(name, names[i]) == 0)
      return (hed_log_level)i;
  return HED_LOG_OFF;
}

void hed__log(hed_log_level level, const char *subsystem, const char *format, ...)
{
  if ((int)level > atomic_load_explicit(&threshold, memory_order_relaxed))
    return;
  char text[512];
  va_list ap;
  va_start(ap, format);
  int n = vsnprintf(text, sizeof text, format, ap);
  va_end(ap);
  pthread_mutex_lock(&lock);
  hed_log_fn fn = callback;
  void *arg = callback_arg;
  pthread_mutex_unlock(&lock);
  if (n < 0 || !fn)
    return;
  HED__UNCANCELLED; /* it may write, in the midst of an operation */
  fn(arg, level, subsystem, text);
}

/* Another thread may have been setting the callback: what it had written by then counts. */
void hed__log_fork_child(void) { pthread_mutex_init(&lock, NULL); }
