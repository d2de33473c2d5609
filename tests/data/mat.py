# SPDX-License-Identifier: BSD-3-Clause
"""Makes the .mat files of tests/tensor/mat.c: python3 mat.py FOLDER, with SciPy. Their numbers are known by formula there."""
import os
import sys
import zlib

import numpy as np
import scipy.io

out = sys.argv[1]
x = np.arange(24, dtype=float).reshape(2, 3, 4)      # its element in C order is its number
numbers = {"x": x + 0.5, "small": x.astype("u1"), "wide": x.astype("i8") - (1 << 40), "single": x.astype("f4") / 4,
           "z": x - 1j * x, "zs": (x + 2j * x).astype("c8"), "yes": x % 3 == 0, "row": np.arange(3.0), "none": np.zeros((0, 3))}
others = {"text": "words", "cells": np.array([1, "a"], dtype=object), "fields": {"a": 1.0},
          "few": __import__("scipy.sparse").sparse.csc_matrix(np.eye(3))}


def save(name, what, **how):
    scipy.io.savemat(os.path.join(out, name), what, **how)
    back = scipy.io.loadmat(os.path.join(out, name))
    assert all(np.array_equal(np.squeeze(back[k]), np.squeeze(v)) for k, v in what.items() if k in numbers)


save("plain.mat", numbers | others)
save("packed.mat", numbers | others, do_compression=True)
save("one.mat", {"x": x + 0.5}, do_compression=True)
save("empty.mat", {"e": np.zeros((5, 0)), "f": np.zeros((0, 3, 2), dtype="f4"), "z": np.zeros((2, 0), dtype=complex)})
save("old.mat", {"x": x[0]}, format="4")

# The other byte order, written by hand, read back by SciPy: doubles as doubles, and as MATLAB stores small whole ones, as bytes.
elements = b""
for name, kind, data in ((b"x", 9, np.asfortranarray(x + 0.5).astype(">f8")), (b"b", 2, np.asfortranarray(x).astype("u1"))):
    raw = data.tobytes(order="F")
    dims = np.array(x.shape + (0,), ">i4")
    body = np.array([6, 8, 6, 0, 5, 12], ">u4").tobytes() + dims.tobytes() + np.array([1 << 16 | 1], ">u4").tobytes()
    body += name + b"\0\0\0" + np.array([kind, len(raw)], ">u4").tobytes() + raw + bytes(-len(raw) % 8)
    elements += np.array([14, len(body)], ">u4").tobytes() + body
with open(os.path.join(out, "big.mat"), "wb") as f:
    f.write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\x01\x00MI" + elements)
back = scipy.io.loadmat(os.path.join(out, "big.mat"))
assert np.array_equal(back["x"], x + 0.5) and np.array_equal(back["b"], x)


def element(name, kind, shape, data_type, n, raw):
    """A variable that says what it likes, of an even number of extents."""
    body = np.array([6, 8, kind, 0, 5, 4 * len(shape), *shape, 1 << 16 | 1], "<u4").tobytes() + name + b"\0\0\0"
    body += np.array([data_type, n], "<u4").tobytes() + raw
    return np.array([14, len(body)], "<u4").tobytes() + body


def write(name, *parts):
    with open(os.path.join(out, name), "wb") as f:
        f.write(b"MATLAB 5.0 MAT-file".ljust(124) + b"\x00\x01IM" + b"".join(parts))


def packed(e):
    deflated = zlib.compress(e, 9)
    return np.array([15, len(deflated)], "<u4").tobytes() + deflated


bomb = element(b"b", 9, (1 << 15, 1 << 15), 2, 1 << 30, bytes(64))
write("bomb.mat", packed(bomb[:4] + np.array([len(bomb) + (1 << 30)], "<u4").tobytes() + bomb[8:]))
write("short.mat", packed(element(b"s", 9, (4, 4), 2, 16, bytes(8)) + bytes(8)))
write("cells.mat", element(b"c", 1, (0x7fffffff, 2), 14, 0, b""), packed(element(b"x", 9, (1, 2), 2, 2, b"\5\6" + bytes(6))))
write("many.mat", element(b"m", 9, (0x7fffffff, 0x7fffffff), 2, 8, bytes(8)))
write("nothing.mat", element(b"n", 9, (0, 0x7fffffff, 0x7fffffff, 0x7fffffff), 2, 0, b""))
write("fewer.mat", element(b"f", 6, (1 << 14, 1 << 14), 9, 64, bytes(64)))
write("range.mat", element(b"r", 8, (1, 2), 3, 4, np.array([1, 300, 0, 0], "<i2").tobytes()))
print("SciPy", scipy.__version__)
