// SPDX-License-Identifier: BSD-3-Clause
/* TAP (Test Anything Protocol) output for the test programs.
 *
 * A test calls plan() first or done_testing() last, one of the assertions per point, and
 * returns done() from main.  Every failure says file, line, the expression and both values on
 * stderr (Automake's driver keeps it in the log, prove shows it).  All functions may be called
 * from several threads at once; points are then numbered in the order in which they finish.
 * Assertions return whether they held, so that a loop can stop at the first bad element.
 * Usable from C11 and C++17; depends on libc only.
 */
#ifndef HED_TESTS_TAP_H
#define HED_TESTS_TAP_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TAP_FORMAT(f, a) __attribute__((format(printf, f, a)))

/* The number of points to come, once.  A program that ends with another number fails. */
void plan(int points);

/* Every remaining point of the program is skipped: prints 1..0 and exits with status 0. */
void skip_all(const char *reason, ...) TAP_FORMAT(1, 2) __attribute__((noreturn));

/* n points are skipped for a reason, which is required. */
void skip(int n, const char *reason, ...) TAP_FORMAT(2, 3);

/* Points of the calling thread that are known to fail, for a reason, which names the fault: all until todo_end(), or the
 * next alone.  A point that fails so is no failure of the program; one that passes is, as the mark is out of date. */
void todo(const char *reason, ...) TAP_FORMAT(1, 2);
void todo_next(const char *reason, ...) TAP_FORMAT(1, 2);
void todo_end(void);

/* A comment in the log. */
void diag(const char *text, ...) TAP_FORMAT(1, 2);

/* The program cannot go on: ends the whole run. */
void bail(const char *why, ...) TAP_FORMAT(1, 2) __attribute__((noreturn));

/* Prints the plan after the fact, for programs that did not call plan(). */
void done_testing(void);

/* Exit status for main: 0 when the plan was kept and every point passed, or failed as marked.  Prints the plan when
 * neither plan() nor done_testing() has. */
int done(void);

/* Number of points until now that failed, or passed while marked. */
int tap_failures(void);

/* The seed of this run: HEDDLE_TEST_SEED, which tests/env.sh takes from the tree (tests/rotate), or the clock when that is
 * "random"; a constant when it is not set.  The first call prints it, so that a failure can be repeated.  Anything but a number
 * of 64 bits ends the run. */
uint64_t tap_seed(void);

/* HEDDLE_TEST_FULL=1: all of what is long. */
bool full_run(void);

/* Whether the k-th of n parts of something long is this run's: HEDDLE_TEST_SHARE (else the seed) takes one of the n shares,
 * full_run() all.  Never for what the API, the core or a meaning promises. */
bool share(int k, int n);

/* Whether the k-th row of a matrix is this run's where a sanitizer is at work: one of three shares, other ones than share() takes;
 * everywhere else it is. */
bool in_sample(int k);

/* A build with ThreadSanitizer, for which one thread alone says nothing (unless full_run()). */
bool for_races(void);

/* N repetitions, fewer where everything takes ten times as long: times HEDDLE_TEST_SCALE (0 to 1), without it 1, in builds
 * with sanitizers 0.1 (thread) or 0.3 (address).  At least 1. */
int scaled(int n);

/* One of three shares: combinations of choices numbered a, b and c that are tried if thorough(a + b + c) have every pair a, b as
 * soon as there are three c, and so on. */
bool thorough(int sum);

/* The last argument is a printf format with its arguments: the name of the point. */
#define ok(condition, ...) \
  tap_ok(__FILE__, __LINE__, (condition) ? true : false, #condition, __VA_ARGS__)
#define fail(...) tap_ok(__FILE__, __LINE__, false, "fail", __VA_ARGS__)
#define is_int(got, want, ...) tap_is_int(__FILE__, __LINE__, (got), (want), #got, __VA_ARGS__)
#define is_uint(got, want, ...) tap_is_uint(__FILE__, __LINE__, (got), (want), #got, __VA_ARGS__)
#define is_str(got, want, ...) tap_is_str(__FILE__, __LINE__, (got), (want), #got, __VA_ARGS__)
#define is_ptr(got, want, ...) tap_is_ptr(__FILE__, __LINE__, (got), (want), #got, __VA_ARGS__)
/* The text `got` contains `part`. */
#define has_str(got, part, ...) tap_has_str(__FILE__, __LINE__, (got), (part), #got, __VA_ARGS__)
/* |got - want| <= abs + rel * |want|; equal infinities are near, two NaNs are near. */
#define is_near(got, want, rel, abs, ...) \
  tap_is_near(__FILE__, __LINE__, (got), (want), (rel), (abs), #got, __VA_ARGS__)
/* At most `ulps` representable numbers apart; +0 and -0 are the same, two NaNs are the same. */
#define is_ulp(got, want, ulps, ...) \
  tap_is_ulp(__FILE__, __LINE__, (got), (want), (ulps), #got, __VA_ARGS__)
#define is_ulpf(got, want, ulps, ...) \
  tap_is_ulpf(__FILE__, __LINE__, (got), (want), (ulps), #got, __VA_ARGS__)
/* n bytes are equal; says the first that differs. */
#define is_mem(got, want, n, ...) \
  tap_is_mem(__FILE__, __LINE__, (got), (want), (n), #got, __VA_ARGS__)

bool tap_ok(const char *file, int line, bool passed, const char *expression, const char *name, ...)
    TAP_FORMAT(5, 6);
bool tap_is_int(const char *file, int line, int64_t got, int64_t want, const char *expression,
                const char *name, ...) TAP_FORMAT(6, 7);
bool tap_is_uint(const char *file, int line, uint64_t got, uint64_t want, const char *expression,
                 const char *name, ...) TAP_FORMAT(6, 7);
bool tap_is_str(const char *file, int line, const char *got, const char *want,
                const char *expression, const char *name, ...) TAP_FORMAT(6, 7);
bool tap_has_str(const char *file, int line, const char *got, const char *part,
                 const char *expression, const char *name, ...) TAP_FORMAT(6, 7);
bool tap_is_ptr(const char *file, int line, const void *got, const void *want,
                const char *expression, const char *name, ...) TAP_FORMAT(6, 7);
bool tap_is_near(const char *file, int line, double got, double want, double rel, double abs,
                 const char *expression, const char *name, ...) TAP_FORMAT(8, 9);
bool tap_is_ulp(const char *file, int line, double got, double want, uint64_t ulps,
                const char *expression, const char *name, ...) TAP_FORMAT(7, 8);
bool tap_is_ulpf(const char *file, int line, float got, float want, uint64_t ulps,
                 const char *expression, const char *name, ...) TAP_FORMAT(7, 8);
bool tap_is_mem(const char *file, int line, const void *got, const void *want, uint64_t n,
                const char *expression, const char *name, ...) TAP_FORMAT(7, 8);

#ifdef __cplusplus
}
#endif
#endif
