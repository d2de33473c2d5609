# SPDX-License-Identifier: BSD-3-Clause
"""Backends chosen by block, by thread, by task: with, a pool, asyncio."""

import asyncio
from concurrent.futures import ThreadPoolExecutor

import heddle as hd


def power(seed: int) -> tuple[str, float]:
    """Mean power of noise, and who computed it."""
    x = hd.random.normal((256, 256), seed=seed)
    p = hd.square(hd.abs(hd.fft.rfftn(x)))
    return p.backend, float(p.mean())


# A block: what is made in it is computed there.
with hd.backend("reference;threads=1"):
    print("reference: %s %.0f" % power(1))
print("default:   %s %.0f" % power(1))

# Threads begin with the process's default; bind() carries a context to them.
with ThreadPoolExecutor() as pool:
    with hd.backend("reference"):
        print("pool:      %s" % pool.submit(hd.bind(power), 1).result()[0])


# Tasks inherit, and may change it each for itself.
async def task(name: str) -> str:
    with hd.backend(name):
        await asyncio.sleep(0)
        return hd.get_backend()


async def main() -> list[str]:
    return await asyncio.gather(*[task(name) for name in ("reference", hd.get_backend(), "reference")])

print("tasks:    ", *asyncio.run(main()))
