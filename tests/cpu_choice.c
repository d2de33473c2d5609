// SPDX-License-Identifier: BSD-3-Clause
/* How many threads share a transform (fft_choice.h): times are told, none are measured. */
#include "backends/cpu/fft/fft_choice.h"
#include "tap.h"

/* Of N calls how many were by all of two threads, with these times. */
static int shared_calls(uint64_t key, int n, int64_t alone, int64_t shared)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    const cpu_fft_choice c = cpu_fft_choose(key, 2);
    count += c.threads == 2;
    cpu_fft_tell(c, c.threads == 2 ? shared : alone);
  }
  return count;
}

/* Of N calls how many were by GOOD of MOST threads, each of which takes its part of WORK and costs the caller ten nanoseconds;
 * OTHERS: calls by a number that is no power of two of them. */
static int good_calls(uint64_t key, int n, int32_t most, int32_t good, int64_t work, int *others)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    const cpu_fft_choice c = cpu_fft_choose(key, most);
    count += c.threads == good;
    *others += c.threads < 1 || c.threads > most || (c.threads & (c.threads - 1)) != 0;
    cpu_fft_tell(c, work / c.threads + 10 * c.threads);
  }
  return count;
}

int main(void)
{
  int n = shared_calls(1, 1000, 200, 100);
  ok(n >= 980 && n < 1000, "threads that help share nearly all calls: %d of 1000", n);
  n = shared_calls(2, 1000, 100, 130);
  ok(n >= 10 && n <= 80, "threads that do not help share few: %d of 1000", n);
  n = shared_calls(2, 1000, 100, 60);
  ok(n >= 900, "after a change for the better it shares again: %d of 1000", n);
  n = shared_calls(2, 1000, 100, 300);
  ok(n <= 100, "after a change for the worse no more: %d of 1000", n);
  cpu_fft_choice c = cpu_fft_choose(1, 2);
  ok(c.threads == 2, "another transform is none of its business");
  for (uint64_t key = 100; key < 300; key++)
    cpu_fft_tell(cpu_fft_choose(key, 2), 50);
  n = shared_calls(2, 1000, 100, 50);
  ok(n >= 980, "a transform that was forgotten begins anew: %d of 1000", n);
  /* Alone the first call of some takes longer: its data are elsewhere. */
  int after = 0, count = 0;
  for (int i = 0; i < 1000; i++) {
    c = cpu_fft_choose(3, 2);
    count += c.threads == 2;
    cpu_fft_tell(c, c.threads == 2 ? 130 : after ? 100 : 200);
    after = c.threads < 2;
  }
  ok(count <= 80, "the first of some calls alone does not count: %d of 1000 shared", count);
  int others = 0;
  n = good_calls(4, 1000, 16, 4, 160, &others);
  ok(n >= 900 && n < 1000, "work for four of sixteen threads is done by four: %d of 1000", n);
  n = good_calls(4, 5000, 16, 16, 10240, &others);
  ok(n >= 4000, "by sixteen when there is more of it: %d of 5000", n);
  n = good_calls(4, 5000, 16, 1, 1, &others);
  ok(n >= 2500, "by one when there is next to none: %d of 5000", n);
  is_int(others, 0, "by sixteen, eight, four, two or one");
  int outside = 0;
  for (int32_t most = 1; most < 2000; most++) {
    for (int i = 0; i < 200; i++) {
      c = cpu_fft_choose(1000 + (uint64_t)most, most);
      outside += c.threads < 1 || c.threads > most;
      cpu_fft_tell(c, 100 + i);
    }
  }
  is_int(outside, 0, "of any number of threads at least one and at most all");
  done_testing();
  return done();
}
