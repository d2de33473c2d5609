// SPDX-License-Identifier: BSD-3-Clause
/* Readers against broken input.
 *
 * A target defines LLVMFuzzerTestOneInput() and fuzz_target. Compiled with
 * -DHED_LIBFUZZER -fsanitize=fuzzer it is a libFuzzer target; otherwise tests/fuzz/fuzz.c gives it
 * a main() that feeds the kept corpus (tests/data/<folder>), then mutations of it for a
 * while, or $HEDDLE_FUZZ_SECONDS, from a seed that is printed. A target that finds something
 * wrong calls fuzz_wrong(); the input is then kept in a file, which is named.
 */
#ifndef HED_TESTS_FUZZ_H
#define HED_TESTS_FUZZ_H
#include <heddle/error.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct fuzz_info {
  const char *folder;             /* corpus, under tests/data                      */
  const char *const *words;       /* pieces that mutations insert; NULL at the end */
} fuzz_info;
extern const fuzz_info fuzz_target;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The input shows a defect. */
void fuzz_wrong(const char *what);

/* STATUS of a reader, not HED_OK, is among those that follow CAME_OUT, which says that something was read all the same. */
#define FUZZ_REFUSED(status, came_out, ...) fuzz_refused(status, came_out, (const hed_status[]){ __VA_ARGS__, HED_OK })
void fuzz_refused(hed_status status, bool came_out, const hed_status *documented);

/* A path under which a reader finds these bytes; valid until the next call. */
const char *fuzz_file(const uint8_t *data, size_t size);

#endif
