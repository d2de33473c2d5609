# SPDX-License-Identifier: BSD-3-Clause
"""Arrays exchanged by DLPack, both ways, with work under way: `exchange.py LIBRARY BACKEND numpy|torch|cupy`.

What one side computes on a stream of its own, the other one reads on its own, without a wait of the host in between.
"""
import ctypes
import sys

import numpy as np

N, ROUNDS = 1 << 20, 20
FLOAT32 = 11


class Shape(ctypes.Structure):
    _fields_ = [("ndim", ctypes.c_int32), ("dim", ctypes.c_int64 * 16)]


def shape(*dim):
    return Shape(len(dim), (ctypes.c_int64 * 16)(*dim))


lib = ctypes.CDLL(sys.argv[1])
pointer = ctypes.c_void_p
for name, result, arguments in [
        ("hed_set_backend", ctypes.c_int, [ctypes.c_char_p]), ("hed_dtype_of", pointer, [ctypes.c_int]),
        ("hed_from_host", pointer, [pointer, Shape, pointer]), ("hed_add_scalar", pointer, [pointer, ctypes.c_double]),
        ("hed_multiply_scalar", pointer, [pointer, ctypes.c_double]), ("hed_release", None, [pointer]),
        ("hed_to_host", ctypes.c_int, [pointer, pointer, ctypes.c_size_t]), ("hed_error_text", ctypes.c_char_p, []),
        ("hed_to_dlpack_stream", ctypes.c_int, [pointer, ctypes.c_int, ctypes.c_ssize_t, ctypes.POINTER(pointer)]),
        ("hed_from_dlpack_stream", pointer, [pointer, ctypes.c_ssize_t])]:
    getattr(lib, name).restype, getattr(lib, name).argtypes = result, arguments
api = ctypes.pythonapi
api.PyCapsule_New.restype, api.PyCapsule_New.argtypes = ctypes.py_object, [pointer, ctypes.c_char_p, pointer]
api.PyCapsule_GetPointer.restype, api.PyCapsule_GetPointer.argtypes = pointer, [ctypes.py_object, ctypes.c_char_p]
api.PyCapsule_SetName.argtypes = [ctypes.py_object, ctypes.c_char_p]
NAME, USED = b"dltensor_versioned", b"used_dltensor_versioned"


def good(x):
    if not x:
        raise SystemExit(lib.hed_error_text().decode())
    return x


class Ours:
    """An array as others see it."""

    def __init__(self, x):
        self.x = x

    def __dlpack_device__(self):
        return (2, 0) if sys.argv[2].startswith("cuda") else (1, 0)

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        out = pointer()
        if lib.hed_to_dlpack_stream(self.x, 0, -1 if stream is None else stream, ctypes.byref(out)):
            raise BufferError(lib.hed_error_text().decode())
        return api.PyCapsule_New(out, NAME, None)


def peer(name):
    """(array of numbers, to numpy, from_dlpack, the stream it works on)"""
    if name == "torch":
        import torch
        return (lambda v: torch.from_numpy(v).cuda(), lambda t: t.cpu().numpy(), torch.from_dlpack,
                lambda: torch.cuda.current_stream().cuda_stream or 1)
    if name == "cupy":
        import cupy
        return cupy.asarray, cupy.asnumpy, cupy.from_dlpack, lambda: cupy.cuda.get_current_stream().ptr or 1
    return np.array, np.array, np.from_dlpack, lambda: -1


if lib.hed_set_backend(sys.argv[2].encode()):
    good(None)
array, numbers, from_dlpack, stream = peer(sys.argv[3])
values = np.arange(N, dtype=np.float32) % 1000
for k in range(ROUNDS):
    # ours to theirs
    x = good(lib.hed_from_host(values.ctypes.data, shape(N), lib.hed_dtype_of(FLOAT32)))
    y = good(lib.hed_add_scalar(x, k))
    theirs = from_dlpack(Ours(y)) * 2
    if not np.array_equal(numbers(theirs), (values + k) * 2):
        raise SystemExit(f"round {k}: {sys.argv[3]} read other numbers than were written")
    # theirs to ours
    source = array(values) * 3
    s = stream()
    if s < 0:
        capsule = source.__dlpack__(max_version=(1, 0))
    else:
        capsule = source.__dlpack__(stream=s, max_version=(1, 0))
    t = good(lib.hed_from_dlpack_stream(api.PyCapsule_GetPointer(capsule, NAME), s))
    api.PyCapsule_SetName(capsule, USED)
    z = good(lib.hed_multiply_scalar(t, 2))
    got = np.empty(N, dtype=np.float32)
    if lib.hed_to_host(z, got.ctypes.data, got.nbytes):
        good(None)
    if not np.array_equal(got, values * 6):
        raise SystemExit(f"round {k}: other numbers were read than {sys.argv[3]} wrote")
    for a in (x, y, t, z):
        lib.hed_release(a)
print(f"{2 * ROUNDS} arrays exchanged with {sys.argv[3]}")
