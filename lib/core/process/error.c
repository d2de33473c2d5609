// SPDX-License-Identifier: BSD-3-Clause
/* Error state: status and sentence in the thread's block, static answers when there is no block. L2. */
#include "core/process/tls.h"
#include <heddle/error.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const char *hed_status_text(int status)
{
  switch (status) {
#define HED_STATUS(name, number, text) \
  case number:                         \
    return text;
#include <heddle/status.def>
#undef HED_STATUS
  default:
    return "unknown status";
  }
}

bool hed_status_is(int status, hed_status kind)
{
  static const struct { int status, parent; } parents[] = {
#define HED_STATUS(name, number, text)
#define HED_STATUS_IS(name, parent) { HED_##name, HED_##parent },
#include <heddle/status.def>
#undef HED_STATUS
  };
  if (status == (int)kind)
    return true;
  for (size_t k = 0; k < sizeof parents / sizeof *parents; k++)
    if (parents[k].status == status)
      return hed_status_is(parents[k].parent, kind);
  return false;
}

/* Without a block: the thread is past its end, or memory is out. */
static int implied(void)
{
  hed__tls *t = hed__self;
  if (!t || !t->sentinel)
    return HED_OK;
  return t->exiting ? HED_E_EXITING : HED_E_NOMEM;
}

hed_status hed_error(void)
{
  hed__tls *t = hed__tls_peek();
  return (hed_status)(t ? t->status : implied());
}

const char *hed_error_text(void)
{
  hed__tls *t = hed__tls_peek();
  if (t)
    return t->status ? t->text : "";
  return implied() ? hed_status_text(implied()) : "";
}

void hed_error_clear(void)
{
  hed__tls *t = hed__tls_peek();
  if (t) {
    t->status = HED_OK;
    t->shortage = 0;
    t->text[0] = 0;
  } else if (hed__self && !hed__self->exiting) {
    hed__self = NULL; /* forget that memory was out */
  }
}

void hed__error_save(hed__error_mark *m)
{
  hed__tls *t = hed__tls_peek();
  m->status = t ? t->status : HED_OK;
  m->shortage = t ? t->shortage : 0;
  if (m->status)
    memcpy(m->text, t->text, sizeof m->text);
}

void hed__error_restore(const hed__error_mark *m)
{
  hed__tls *t = hed__tls_peek();
  if (!t)
    return;
  t->status = m->status;
  /* unless its numbers were written over */
  t->shortage = m->status && m->shortage == t->shortages ? m->shortage : 0;
  if (m->status)
    memcpy(t->text, m->text, sizeof m->text);
  else
    t->text[0] = 0;
}

hed_status hed_fail(int status, const char *format, ...)
{
  hed__tls *t = hed__tls_get();
  if (t) {
    /* arguments may point into the old sentence, so the new one is made beside it */
    char text[HED__ERROR_TEXT];
    va_list ap;
    va_start(ap, format);
    if (vsnprintf(text, sizeof text, format, ap) < 0)
      text[0] = 0;
    va_end(ap);
    memcpy(t->text, text, sizeof text);
    t->status = status;
    t->shortage = 0;
  }
  return (hed_status)status;
}
