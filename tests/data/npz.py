#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes the .npz files of fuzz_npz with NumPy (2.4 when they were made).  Usage: npz.py FOLDER
import os
import sys

import numpy as np

folder = sys.argv[1]
arrays = {
    "a": np.arange(6, dtype="<f4").reshape(2, 3),
    "deep/b": np.asfortranarray(np.arange(12, dtype=">i2").reshape(3, 4)),
    "c": np.array([True, False, True]),
    "empty": np.zeros((0, 4), "<c16"),
    "big": (np.arange(20000) % 7).astype("<i8"),
}
np.savez(os.path.join(folder, "stored.npz"), **{k: v for k, v in arrays.items() if k != "big"})
np.savez_compressed(os.path.join(folder, "deflated.npz"), **arrays)
np.savez(os.path.join(folder, "none.npz"))
