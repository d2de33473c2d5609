# SPDX-License-Identifier: BSD-3-Clause
"""Exchange with NumPy through DLPack, both ways, without copies. Prints TAP. Argument: the shared library."""
import ctypes
import gc
import sys

import numpy as np

hed = ctypes.CDLL(sys.argv[1])
P = ctypes.c_void_p
for name in "hed_zeros hed_from_dlpack hed_dtype_by_name hed_array_data hed_flip hed_add hed_read_only".split():
    getattr(hed, name).restype = P


class Shape(ctypes.Structure):
    _fields_ = [("ndim", ctypes.c_int32), ("dim", ctypes.c_int64 * 16)]


capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [P, ctypes.c_char_p, P]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = P, [ctypes.py_object, ctypes.c_char_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"


class Exporter:
    """What Python's protocol wants of a producer."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return (1, 0)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        out = P()
        if hed.hed_to_dlpack(P(self.x), 0, ctypes.byref(out)) != 0:
            raise BufferError(hed.hed_error_text())
        return capsule_new(out, NAME, None)


def take(a):
    """A NumPy array as a Heddle array."""
    capsule = a.__dlpack__(max_version=(1, 0))
    x = hed.hed_from_dlpack(P(capsule_pointer(capsule, NAME)))
    if x:
        capsule_rename(capsule, USED)
    return x


points = 0


def ok(good, what):
    global points
    points += 1
    print(f"{'ok' if good else 'not ok'} {points} - {what}", flush=True)


for name in "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split():
    a = (np.arange(24).reshape(2, 3, 4) % 5).astype(name)[::-1, :, ::2]
    x = take(a)
    ok(x and hed.hed_array_data(P(x)) == a.ctypes.data, f"{name}: NumPy's memory")
    b = np.from_dlpack(Exporter(x))
    ok(b.dtype == a.dtype and b.strides == a.strides and b.ctypes.data == a.ctypes.data and (a == b).all(),
       f"{name}: and back, the same elements")
    hed.hed_release(P(x))
    del a
    gc.collect()
    ok(b.sum() is not None and b.shape == (2, 3, 2), f"{name}: kept alive by the tensor")

a = np.arange(6.0)
x = take(a)
y = hed.hed_add(P(x), P(x))
b = np.from_dlpack(Exporter(y))
ok((b == 2 * a).all() and b.flags.writeable, "a result of an operation")
b[0] = 99
ok(ctypes.cast(hed.hed_array_data(P(y)), ctypes.POINTER(ctypes.c_double))[0] == 99, "written by NumPy, seen by Heddle")
r = hed.hed_read_only(P(y))
ok(not np.from_dlpack(Exporter(r)).flags.writeable, "read-only there too")
a.flags.writeable = False
z = take(a)
hed.hed_array_is_read_only.restype = ctypes.c_bool
ok(hed.hed_array_is_read_only(P(z)), "and here")
for p in (x, y, r, z):
    hed.hed_release(P(p))
print(f"1..{points}")
