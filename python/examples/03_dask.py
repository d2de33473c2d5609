# SPDX-License-Identifier: BSD-3-Clause
"""More than one machine's worth of work: Dask's workers, each on a backend of its own."""

import dask.array as da
from distributed import Client, LocalCluster

import heddle as hd
import heddle.dask


def spectrum(block: object) -> hd.Array:
    """Power of one block, wherever it is."""
    return hd.square(hd.abs(hd.fft.rfft(hd.asarray(block))))


if __name__ == "__main__":
    specs = ["cpu;threads=1", "reference"]   # on a machine with devices: ["cuda:0", "cuda:1", ...]
    with LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.register_plugin(heddle.dask.Backends(specs))
        print("workers:", sorted(client.run(hd.get_backend).values()))
        signal = da.random.default_rng(1).normal(size=(64, 4096), chunks=(8, 4096)).astype("float32")
        power = signal.map_blocks(spectrum, chunks=(8, 2049), meta=hd.zeros((0, 0)))
        mean = power.mean(axis=0).compute()
        print(type(mean).__name__, mean.shape, "%.0f" % float(mean[1:-1].mean()))
