// SPDX-License-Identifier: BSD-3-Clause
/* Suite "jobs", work of several operations: the kits', and filters.
 *
 * Layer: L5. Bytes are those that a job reads and writes at least, whatever its intermediate results.
 */
#include "bench.h"

void bench_list_jobs(bench *b)
{
  bench_list_match(b);
  bench_list_vsa(b);
  bench_list_tensor(b);
  bench_list_ultrasound(b);
  bench_list_filters(b);
  bench_list_nn(b);
}
