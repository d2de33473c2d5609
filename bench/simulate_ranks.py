#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""How much a search by many processes loses to its sharing: `heddle match --mpi`, simulated.

Ranks take blocks of rotations from one counter. A request travels, waits until the counter is free, is answered, travels back;
then the rank works on its block. What is lost is all time in which a rank does not work, against the same work shared without any
cost. Inputs are what was measured: the time of a rotation (`heddle match --dry-run`), its spread, and what a request costs, which
--measure does where mpirun and mpicc are:

    bench/simulate_ranks.py --measure
    bench/simulate_ranks.py --rotation 0.35 --rotations 45123 --travel 2e-6 --service 1e-6
"""
import argparse
import heapq
import os
import random
import subprocess
import tempfile

PROBE = r"""
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
int main(int argc, char **argv)
{
  enum { N = 20000 };
  uint64_t *counter, got, one = 1;
  int rank, size;
  MPI_Win w;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_Win_allocate(rank ? 0 : 8, 8, MPI_INFO_NULL, MPI_COMM_WORLD, &counter, &w);
  MPI_Win_lock_all(0, w);
  if (!rank) *counter = 0;
  MPI_Win_sync(w);
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  for (int i = 0; i < N && (rank || size == 1); i++) {
    MPI_Fetch_and_op(&one, &got, MPI_UINT64_T, 0, 0, MPI_SUM, w);
    MPI_Win_flush(0, w);
  }
  const double each = (MPI_Wtime() - start) / N;
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Win_unlock_all(w);
  if (rank == size - 1) printf("%g\n", each);
  MPI_Win_free(&w);
  return MPI_Finalize();
}
"""


def measure():
    """Seconds of a request, alone, between two ranks of this machine."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = os.path.join(folder, "probe.c"), os.path.join(folder, "probe")
        with open(source, "w") as f:
            f.write(PROBE)
        subprocess.run(["mpicc", "-O2", source, "-o", program], check=True)
        env = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
        out = subprocess.run(["mpirun", "-n", "2", program], check=True, env=env, capture_output=True, text=True).stdout
    return float(out)


def block_of(rotations, ranks):
    """As match_ranks.c has it."""
    return min(max(rotations // (ranks * 32), 1), 64)


def simulate(ranks, rotations, o, seed=1):
    """Share of the ranks' time that is lost, and of the time in which the counter is busy."""
    rng = random.Random(seed)
    block = o.block or block_of(rotations, ranks)
    asking = [(o.travel, r) for r in range(ranks)]  # when a request reaches the counter
    heapq.heapify(asking)
    at, free, busy, work, end = 0, 0.0, 0.0, 0.0, 0.0
    while asking:
        now, r = heapq.heappop(asking)
        free = max(now, free) + o.service
        busy += o.service
        n = min(block, rotations - at)
        if n <= 0:
            end = max(end, free + o.travel)
            continue
        at += n
        # a block's spread: that of its rotations, and of the machine's, which lasts as long as the block
        mean = n * o.rotation / o.workers
        took = max(mean * 0.2, mean * (1 + rng.gauss(0, o.spread)))
        work += took
        heapq.heappush(asking, (free + 2 * o.travel + took, r))
        end = max(end, free + 2 * o.travel + took)
    return 1 - work / ranks / end, busy / end, block, end


def main():
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("--rotation", type=float, default=0.35, help="seconds of one rotation, one worker (0.35: 480 x 464 x 256)")
    p.add_argument("--workers", type=int, default=1, help="of a rank")
    p.add_argument("--spread", type=float, default=0.1, help="deviation of a block's time over its mean")
    p.add_argument("--rotations", type=int, default=45123, help="of the whole search")
    p.add_argument("--travel", type=float, default=2e-6, help="seconds of a message, one way")
    p.add_argument("--service", type=float, default=1e-6, help="seconds in which the counter serves one request alone")
    p.add_argument("--block", type=int, default=0, help="rotations of a block; 0: as the tool has it")
    p.add_argument("--ranks", type=int, nargs="*", default=[10, 30, 100, 300, 1000, 3000, 10000])
    p.add_argument("--measure", action="store_true", help="print what a request costs here, and use it")
    o = p.parse_args()
    if o.measure:
        cost = measure()
        print(f"a request takes {cost * 1e6:.2f} us between two ranks of this machine")
        o.travel, o.service = cost / 3, cost / 3
    print(f"{o.rotations} rotations of {o.rotation} s by {o.workers} worker(s), message {o.travel * 1e6:.3g} us, "
          f"counter {o.service * 1e6:.3g} us")
    print(f"{'ranks':>6} {'block':>6} {'hours':>9} {'lost':>7} {'counter busy':>13}")
    for ranks in o.ranks:
        lost, busy, block, end = simulate(ranks, o.rotations, o)
        print(f"{ranks:6d} {block:6d} {end / 3600:9.4f} {100 * lost:6.2f}% {100 * busy:12.4f}%")
    # One coordinator is enough as long as requests come more slowly than it serves them.
    print(f"the counter is the limit from about {o.rotation / o.workers / o.service:.3g} ranks on, with blocks of one rotation")


if __name__ == "__main__":
    main()
