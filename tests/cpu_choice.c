// SPDX-License-Identifier: BSD-3-Clause
/* Whether threads share a transform (fft_choice.h): times are told, none are measured. */
#include "backends/cpu/fft/fft_choice.h"
#include "tap.h"

/* Of N calls how many were shared, with these times. */
static int shared_calls(uint64_t key, int n, int64_t alone, int64_t shared)
{
  int count = 0;
  for (int i = 0; i < n; i++) {
    const cpu_fft_choice c = cpu_fft_choose(key);
    count += c.shared;
    cpu_fft_tell(c, c.shared ? shared : alone);
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
  cpu_fft_choice c = cpu_fft_choose(1);
  ok(c.shared, "another transform is none of its business");
  for (uint64_t key = 100; key < 300; key++)
    cpu_fft_tell(cpu_fft_choose(key), 50);
  n = shared_calls(2, 1000, 100, 50);
  ok(n >= 980, "a transform that was forgotten begins anew: %d of 1000", n);
  /* Alone the first call of some takes longer: its data are elsewhere. */
  int after = 0, count = 0;
  for (int i = 0; i < 1000; i++) {
    c = cpu_fft_choose(3);
    count += c.shared;
    cpu_fft_tell(c, c.shared ? 130 : after ? 100 : 200);
    after = !c.shared;
  }
  ok(count <= 80, "the first of some calls alone does not count: %d of 1000 shared", count);
  done_testing();
  return done();
}
