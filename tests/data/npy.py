#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes the .npy files of this folder with NumPy (1.24 when they were made): every element type, both byte orders, both
# element orders, the three versions of the format.  Element k (in C order) is k - 3, modulo what the type can hold, plus
# (k + 1) i for complex types; bool is k % 3 == 0.  Usage: npy.py FOLDER
import os
import sys

import numpy as np
from numpy.lib import format as npy

folder = sys.argv[1]


def values(shape, dtype):
    n = int(np.prod(shape))
    k = np.arange(n)
    if dtype.kind == "b":
        return (k % 3 == 0).reshape(shape)
    v = (k - 3).astype(dtype)
    if dtype.kind == "c":
        v = (v + 1j * (k + 1)).astype(dtype)
    return v.reshape(shape)


def write(name, array, version=(1, 0)):
    with open(os.path.join(folder, name + ".npy"), "wb") as f:
        npy.write_array(f, array, version)


for t in "b1 i1 i2 i4 i8 u1 u2 u4 u8 f2 f4 f8 c8 c16".split():
    write("little_" + t, values((2, 3), np.dtype("<" + t)))
    write("big_" + t, values((2, 3), np.dtype("<" + t)).astype(">" + t))
for v in (1, 2, 3):
    write("version_%d" % v, values((7,), np.dtype("<f4")), (v, 0))
write("fortran", np.asfortranarray(values((2, 3, 4), np.dtype("<i2"))))
write("fortran_big", np.asfortranarray(values((2, 3, 4), np.dtype("<f8"))).astype(">f8"))
write("scalar", np.float64(2.5) * np.ones(()))
write("empty", np.zeros((0, 5), "<f4"))
write("longdouble", np.zeros(2, np.longdouble))
write("record", np.zeros(2, [("a", "<f4"), ("b", "<i2")]))
write("datetime", np.zeros(2, "<M8[s]"))
