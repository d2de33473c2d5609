// SPDX-License-Identifier: BSD-3-Clause
/* The driver of the fuzz targets, see fuzz.h. */
#include "fuzz.h"
#include "gen.h"
#include "tap.h"
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { MOST_INPUTS = 64, MOST_BYTES = 1 << 16 };

static int wrong;
static char wrong_text[256];

void fuzz_wrong(const char *what) {
#ifdef HED_LIBFUZZER
  fprintf(stderr, "%s\n", what);
  __builtin_trap();
#endif
  wrong++;
  snprintf(wrong_text, sizeof wrong_text, "%s", what);
}

void fuzz_refused(hed_status status, bool came_out, const hed_status *documented) {
  while (*documented != HED_OK && *documented != status)
    documented++;
  if (*documented == HED_OK)
    fuzz_wrong("a status that is not documented");
  if (hed_error_text()[0] == '\0' || hed_error() != status)
    fuzz_wrong("a failure without a sentence");
  if (came_out)
    fuzz_wrong("something came out of a file that was refused");
}

const char *fuzz_file(const uint8_t *data, size_t size) {
  static char path[64];
  static int fd = -1;
  if (fd < 0) {
    fd = memfd_create("heddle-fuzz", MFD_CLOEXEC);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  }
  if (fd < 0 || ftruncate(fd, 0) != 0 || pwrite(fd, data, size, 0) != (ssize_t)size)
    bail("cannot keep the input in memory");
  return path;
}

#ifndef HED_LIBFUZZER

static struct { uint8_t *b; size_t n; } corpus[MOST_INPUTS];
static size_t inputs;

static void load(void) {
  char path[1024];
  const char *top = getenv("HEDDLE_TEST_SRCDIR");
  snprintf(path, sizeof path, "%s/tests/data/%s", top ? top : ".", fuzz_target.folder);
  DIR *d = opendir(path);
  if (!d)
    bail("no corpus: cannot open %s", path);
  for (struct dirent *e = readdir(d); e && inputs < MOST_INPUTS; e = readdir(d)) {
    char name[1536];
    if (e->d_name[0] == '.')
      continue;
    snprintf(name, sizeof name, "%s/%s", path, e->d_name);
    FILE *f = fopen(name, "rb");
    if (!f)
      bail("cannot open %s", name);
    corpus[inputs].b = malloc(MOST_BYTES);
    if (!corpus[inputs].b)
      bail("no memory");
    corpus[inputs].n = fread(corpus[inputs].b, 1, MOST_BYTES, f);
    inputs++;
    fclose(f);
  }
  closedir(d);
}

/* Replaces n bytes at `at` by m others. */
static size_t splice(uint8_t *b, size_t size, size_t at, size_t n, const void *with, size_t m) {
  if (size - n + m > MOST_BYTES)
    return size;
  memmove(b + at + m, b + at + n, size - at - n);
  if (m > 0)
    memcpy(b + at, with, m);
  return size - n + m;
}

static size_t mutate(gen *g, uint8_t *b, size_t size) {
  static const uint32_t numbers[] = {0, 1, 2, 4, 6, 12, 255, 256, 1024, 0x7fffffff, 0x80000000,
                                     0xffffffff, 0x7fc00000, 0x7f800000, 0x10000};
  size_t at = size ? gen_below(g, size) : 0, left = size - at, n;
  switch (gen_below(g, 9)) {
  case 0: /* a bit */
    if (size)
      b[at] ^= (uint8_t)(1u << gen_below(g, 8));
    return size;
  case 1: /* a byte */
    if (size)
      b[at] = (uint8_t)gen_below(g, 256);
    return size;
  case 2: { /* a word of a header */
    uint32_t v = numbers[gen_below(g, sizeof numbers / sizeof *numbers)];
    at -= at % 4;
    if (gen_chance(g, 70) && at > 252)
      at %= 256;
    if (gen_chance(g, 30))
      v = __builtin_bswap32(v);
    if (at + 4 <= size)
      memcpy(b + at, &v, 4);
    return size;
  }
  case 3: /* cut off */
    return at;
  case 4: /* out of the middle */
    n = gen_below(g, left + 1);
    return splice(b, size, at, n < 64 ? n : 64, NULL, 0);
  case 5: { /* twice */
    uint8_t piece[64];
    n = gen_below(g, left + 1);
    n = n < sizeof piece ? n : sizeof piece;
    memcpy(piece, b + at, n);
    return splice(b, size, at, 0, piece, n);
  }
  case 6: { /* a run of one byte */
    uint8_t run[512];
    n = gen_below(g, sizeof run);
    memset(run, size && gen_chance(g, 50) ? b[at] : (int)gen_below(g, 256), n);
    return splice(b, size, at, 0, run, n);
  }
  case 7: { /* a part of another input */
    size_t k = gen_below(g, inputs), from = gen_below(g, corpus[k].n + 1);
    n = gen_below(g, corpus[k].n - from + 1);
    return splice(b, size, at, gen_below(g, left + 1), corpus[k].b + from, n);
  }
  default: { /* a word of the format */
    size_t words = 0;
    while (fuzz_target.words[words])
      words++;
    const char *word = words ? fuzz_target.words[gen_below(g, words)] : "";
    return splice(b, size, at, gen_chance(g, 50) ? 0 : left < 8 ? left : 8, word,
                  strlen(word));
  }
  }
}

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Runs one input; false, with the input in a file, when it shows a defect. */
static bool run(const uint8_t *b, size_t n) {
  wrong = 0;
  LLVMFuzzerTestOneInput(b, n);
  if (wrong) {
    FILE *f = fopen("fuzz-found.bin", "wb");
    diag("%s; %zu bytes are in fuzz-found.bin", wrong_text, n);
    if (f) {
      fwrite(b, 1, n, f);
      fclose(f);
    }
  }
  return wrong == 0;
}

/* What mutations are for is found by a sanitizer. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SECONDS 2
#else
#define SECONDS (full_run() ? 2 : 0.2)
#endif

int main(void) {
  const char *limit = getenv("HEDDLE_FUZZ_SECONDS");
  double seconds = limit && *limit ? atof(limit) : SECONDS, end;
  uint8_t *b = malloc(MOST_BYTES);
  bool good = b != NULL;
  size_t tried = 0;
  gen g;

  gen_seed(&g, tap_seed());
  load();
  ok(inputs > 0, "%zu inputs in the corpus of %s", inputs, fuzz_target.folder);
  for (size_t k = 0; good && k < inputs; k++)
    good = run(corpus[k].b, corpus[k].n);
  ok(good, "the corpus as it is");
  for (end = now() + seconds; good && inputs > 0 && (tried <= 100 || now() < end); tried++) {
    size_t k = gen_below(&g, inputs), n = corpus[k].n;
    memcpy(b, corpus[k].b, n);
    for (uint64_t m = 1 + gen_below(&g, 4); m > 0; m--)
      n = mutate(&g, b, n);
    good = run(b, n);
  }
  ok(good && tried > 100, "%zu mutations of it", tried);
  for (size_t k = 0; k < inputs; k++)
    free(corpus[k].b);
  free(b);
  return done();
}
#endif
