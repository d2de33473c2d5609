// SPDX-License-Identifier: BSD-3-Clause
/*
 * FFTW's wisdom as text, out and in. L1.
 *
 * The text holds both precisions, each with its size in front, so that a file that was cut or that is something else is
 * told before FFTW sees it. FFTW keeps what it knew when it refuses a text; the other precision is then put back too.
 */
#include "backends/cpu/cpu.h"
#include "backends/cpu/fft/fft_plan.h"
#include <fftw3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const char first_line[] = "heddle fft wisdom 1\n";
static const char *const section[2] = { "double", "single" };
static atomic_bool loaded;

const char *cpu_fft_version(void)
{
  return fftw_version;
}

bool cpu_wisdom_loaded(void) { return atomic_load_explicit(&loaded, memory_order_relaxed); }

typedef struct sink {
  char *to;
  size_t n, room;
} sink;

static void put(char c, void *arg)
{
  sink *s = arg;
  if (s->n < s->room)
    s->to[s->n] = c;
  s->n++;
}

/* What one precision knows, in memory of the host, ending with 0; NULL when there is none. With FFTW's lock held. */
static char *known_text(bool single)
{
  void (*write_out)(void (*)(char, void *), void *) = single ? fftwf_export_wisdom : fftw_export_wisdom;
  sink s = { NULL, 0, 0 };
  write_out(put, &s);
  s = (sink){ cpu_host->alloc(s.n + 1, 16), 0, s.n };
  if (!s.to)
    return NULL;
  write_out(put, &s);
  s.to[s.room] = 0;
  return s.to;
}

int32_t cpu_wisdom_export(void *state, char **text, size_t *size)
{
  (void)state;
  cpu_host->fftw_lock();
  char *known[2] = { known_text(false), known_text(true) };
  cpu_host->fftw_unlock();
  size_t room = sizeof first_line + 128, used;
  for (int k = 0; k < 2; k++)
    room += known[k] ? strlen(known[k]) : 0;
  char *out = known[0] && known[1] ? cpu_host->alloc(room, 16) : NULL;
  if (out) {
    used = (size_t)snprintf(out, room, "%s", first_line);
    for (int k = 0; k < 2; k++)
      used += (size_t)snprintf(out + used, room - used, "%s %zu\n%s\n", section[k], strlen(known[k]), known[k]);
    used += (size_t)snprintf(out + used, room - used, "end\n");
    *text = out;
    *size = used;
  }
  cpu_host->free(known[0]);
  cpu_host->free(known[1]);
  return out ? HED_OK : cpu_host->fail(HED_E_NOMEM, "fft_wisdom: no memory for the text");
}

/* "NAME SIZE\n", then SIZE bytes and a newline: a copy of them that ends with 0, *AT behind them; NULL when it is not so. */
static char *read_section(const char *name, const char **at, const char *end)
{
  size_t n = strlen(name);
  const char *p = *at;
  if ((size_t)(end - p) < n + 3 || memcmp(p, name, n) != 0 || p[n] != ' ')
    return NULL;
  size_t bytes = 0;
  int digits = 0;
  for (p += n + 1; p < end && *p >= '0' && *p <= '9' && digits < 9; p++, digits++)
    bytes = bytes * 10 + (size_t)(*p - '0');
  if (!digits || p == end || *p++ != '\n' || (size_t)(end - p) <= bytes || p[bytes] != '\n' || memchr(p, 0, bytes))
    return NULL;
  char *copy = cpu_host->alloc(bytes + 1, 16);
  if (copy) {
    memcpy(copy, p, bytes);
    copy[bytes] = 0;
    *at = p + bytes + 1;
  }
  return copy;
}

int32_t cpu_wisdom_import(void *state, const char *text, size_t size)
{
  (void)state;
  if (!text) {
    cpu_host->fftw_lock();
    fftw_forget_wisdom();
    fftwf_forget_wisdom();
    cpu_host->fftw_unlock();
    atomic_store(&loaded, false);
    return HED_OK;
  }
  const char *at = text, *end = text + size;
  char *part[2] = { NULL, NULL };
  size_t n = sizeof first_line - 1;
  int32_t status = HED_OK;
  bool good = size > n && memcmp(text, first_line, n) == 0;
  at += good ? n : 0;
  for (int k = 0; k < 2 && good; k++)
    good = (part[k] = read_section(section[k], &at, end)) != NULL;
  good = good && end - at == 4 && memcmp(at, "end\n", 4) == 0;
  if (!good) {
    status = cpu_host->fail(HED_E_FORMAT, "it is not wisdom of Heddle's, or it was cut");
  } else {
    cpu_host->fftw_lock();
    char *before = known_text(false);
    bool wide = before && fftw_import_wisdom_from_string(part[0]);
    bool narrow = wide && fftwf_import_wisdom_from_string(part[1]);
    if (wide && !narrow) {
      fftw_forget_wisdom();
      (void)fftw_import_wisdom_from_string(before);
    }
    cpu_host->fftw_unlock();
    cpu_host->free(before);
    if (narrow)
      atomic_store(&loaded, true);
    else
      status = cpu_host->fail(HED_E_FORMAT, "FFTW does not accept the part '%s': it is damaged or of another build than %s",
                              section[wide], cpu_fft_version());
  }
  cpu_host->free(part[0]);
  cpu_host->free(part[1]);
  return status;
}
