# SPDX-License-Identifier: BSD-3-Clause
"""Makes the .mat files of version 7.3 of tests/tensor/mat.c: python3 mat_hdf5.py FOLDER, with h5py, mat73 and hdf5storage. They are
laid out as MATLAB's, and read back by mat73; what hdf5storage writes is read by it as well."""
import importlib.metadata
import os
import struct
import sys
import zlib

import h5py
import hdf5storage
import mat73
import numpy as np

out = sys.argv[1]
x = np.arange(24, dtype=float).reshape(2, 3, 4)      # its element in C order is its number
numbers = {"x": x + 0.5, "small": x.astype("u1"), "wide": x.astype("i8") - (1 << 40), "single": x.astype("f4") / 4,
           "z": x - 1j * x, "zs": (x + 2j * x).astype("c8"), "yes": x % 3 == 0, "row": np.arange(3.0)[None], "none": np.zeros((0, 3)),
           "short": x.astype("i2") - 7}
classes = {"f8": "double", "f4": "single", "c16": "double", "c8": "single", "b1": "logical", "u1": "uint8", "i2": "int16", "i8": "int64"}


def put(f, name, value, kind=None, **how):
    kind = kind or classes[value.dtype.str[1:]]
    raw = np.ascontiguousarray(value.T)
    if value.size == 0:
        d = f.create_dataset(name, data=np.array(value.shape, "u8"))
        d.attrs["MATLAB_empty"] = np.uint8(1)
    else:
        if raw.dtype.kind == "c":
            raw = raw.view([("real", raw.real.dtype), ("imag", raw.real.dtype)])
        d = f.create_dataset(name, data=raw.astype("u1") if raw.dtype == bool else raw, **how)
    d.attrs["MATLAB_class"] = np.bytes_(kind)
    if value.dtype == bool:
        d.attrs["MATLAB_int_decode"] = np.int32(1)
    return d


def others(f):
    refs = f.create_group("#refs#")
    one = put(refs, "a", np.ones((1, 1)))
    put(f, "text", np.frombuffer(b"words", "u1").astype("u2")[None], "char").attrs["MATLAB_int_decode"] = np.int32(2)
    cells = f.create_dataset("cells", data=np.array([[one.ref]], h5py.ref_dtype), dtype=h5py.ref_dtype)
    cells.attrs["MATLAB_class"] = np.bytes_("cell")
    for name, kind in (("fields", "struct"), ("few", "double")):
        f.create_group(name).attrs["MATLAB_class"] = np.bytes_(kind)
    put(f["fields"], "a", np.ones((1, 1)))
    f["few"].attrs["MATLAB_sparse"] = np.uint64(3)
    for name, value in (("data", np.ones(1)), ("ir", np.zeros(1, "u8")), ("jc", np.array([0, 1, 1, 1], "u8"))):
        f["few"][name] = value


def opened(name):
    return h5py.File(os.path.join(out, name), "w", userblock_size=512, libver="earliest")


def finish(name):
    with open(os.path.join(out, name), "r+b") as f:
        f.write(b"MATLAB 7.3 MAT-file".ljust(116) + bytes(8) + b"\x00\x02IM")


for name, how in (("v73.mat", {}), ("v73packed.mat", {"compression": "gzip", "shuffle": True})):
    with opened(name) as f:
        for k, v in numbers.items():
            put(f, k, v.astype(">i8") if k == "wide" and not how else v, **({**how, "chunks": (2, 2, 2)} if v.ndim == 3 else how if v.size else {}))
        if not how:
            others(f)
    finish(name)
    back = mat73.loadmat(os.path.join(out, name))
    assert all(np.array_equal(np.squeeze(back[k]), np.squeeze(v)) for k, v in numbers.items() if v.size), name

hdf5storage.savemat(os.path.join(out, "v73stored.mat"), {"x": x + 0.5}, format="7.3", store_python_metadata=False)
assert np.array_equal(mat73.loadmat(os.path.join(out, "v73stored.mat"))["x"], x + 0.5)

# What says what it likes.
with opened("v73odd.mat") as f:
    def odd(name, kind="double", **how):
        f.create_dataset(name, **how).attrs["MATLAB_class"] = np.bytes_(kind)

    odd("huge", shape=(1 << 20, 1 << 20, 8), chunks=(1, 1, 1), dtype="f8")
    odd("endless", shape=(1 << 40, 1 << 40, 1 << 40), chunks=(1, 1, 1), dtype="f8")
    odd("vast", shape=(0, 1 << 40, 1 << 40), chunks=(1, 1, 1), maxshape=(None,) * 3, dtype="f8")
    odd("chunky", shape=(2, 2), chunks=(1 << 14, 1 << 13), maxshape=(None, None), dtype="f8")
    odd("lacking", shape=(4, 2), chunks=(2, 2), dtype="f8")
    f["lacking"][:2] = 1
    f["chunky"].id.write_direct_chunk((0, 0), b"\0" * 64)
    odd("doubled", data=np.ones((4, 2)), chunks=(2, 2))
    second = f["doubled"].id.get_chunk_info(1).byte_offset
    odd("summed", data=np.ones((2, 2)), chunks=(2, 2), fletcher32=True)
    odd("mixed", data=np.ones((2, 2), "u1"))
    odd("novel", kind="table", data=np.ones((2, 2)))
    odd("enough", data=np.array([2, 3], "u8"))
    odd("lots", data=np.array([1 << 40, 1 << 40, 0], "u8"))
    odd("narrow", data=np.array([5, 0], "u1"))
    for name in ("enough", "lots", "narrow"):
        f[name].attrs["MATLAB_empty"] = np.uint8(1)
    odd("words", data=np.array([[b"a", b"b"]]))
    odd("elsewhere", shape=(2, 2), dtype="f8", external=[("v73.mat", 0, 32)])
    layout = h5py.VirtualLayout(shape=(2, 2), dtype="f8")
    layout[:] = h5py.VirtualSource("v73.mat", "x", shape=(4, 3, 2))[:2, :2, 0]
    f.create_virtual_dataset("virtual", layout).attrs["MATLAB_class"] = np.bytes_("double")
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2, 2))
    plist.set_deflate(9)
    plist.set_deflate(9)
    h5py.h5d.create(f.id, b"twice", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((2, 2)), plist)
    f["soft"] = h5py.SoftLink("/mixed")
    f["loop"] = h5py.SoftLink("/loop")
finish("v73odd.mat")
with open(os.path.join(out, "v73odd.mat"), "r+b") as f: # the second chunk where the first one is
    whole = f.read()
    keys = [struct.pack("<IIQQQQ", 32, 0, row, 0, 0, second - 512) for row in (2, 0)]
    assert whole.count(keys[0]) == 1
    f.seek(0)
    f.write(whole.replace(*keys))
with opened("v73links.mat") as f: # a link to another file makes it a group of links
    put(f, "x", x + 0.5)
    f["outside"] = h5py.ExternalLink("v73.mat", "x")
    f["soft"] = h5py.SoftLink("/x")
finish("v73links.mat")
# Chunks that end beyond the array, with and without each filter; and whose sums, sizes and places are wrong.
with opened("v73chunks.mat") as f:
    raw = np.ascontiguousarray((x + 0.5).T)
    for name in ("x", "damaged"):
        d = put(f, name, x + 0.5, chunks=(3, 2, 2), compression="gzip", shuffle=True)
        for k, at in enumerate((i, j, 0) for i in (0, 3) for j in (0, 2)):
            piece = np.zeros((3, 2, 2))
            part = raw[at[0]:at[0] + 3, at[1]:at[1] + 2]
            piece[:part.shape[0], :part.shape[1]] = part
            data = piece.tobytes() if k & 1 else piece.view("u1").reshape(-1, 8).T.tobytes()
            data = data if k & 2 else zlib.compress(data)
            d.id.write_direct_chunk(at, data if name == "x" or k else data[:-1] + bytes([data[-1] ^ 1]), k)
    apart = put(f, "apart", np.ones((2, 4)), chunks=(2, 2))
    long = put(f, "long", np.ones((3, 7)))
    f.flush()
    second = apart.id.get_chunk_info(1).byte_offset - 512
    changes = [[struct.pack("<IIQQQQ", 32, 0, row, 0, 0, second) for row in (2, 1)],
               [struct.pack("<QQ", long.id.get_offset() - 512, size) for size in (168, 160)]]
    f.create_dataset("yes", data=np.array([[2, 0, 1]], "u1")).attrs["MATLAB_class"] = np.bytes_("logical")
    swapped = np.dtype({"names": ["real", "imag"], "formats": ["f8", "f8"], "offsets": [8, 0]})
    f.create_dataset("swapped", data=np.zeros((2, 2), swapped)).attrs["MATLAB_class"] = np.bytes_("double")
    plist = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
    plist.set_chunk((2, 2))
    plist.set_deflate(9)
    plist.set_shuffle()
    h5py.h5d.create(f.id, b"backwards", h5py.h5t.IEEE_F64LE, h5py.h5s.create_simple((2, 2)), plist)
    twelve = h5py.h5t.STD_U16LE.copy()
    twelve.set_precision(12)
    h5py.h5d.create(f.id, b"twelve", twelve, h5py.h5s.create_simple((2, 2)))
finish("v73chunks.mat")
with open(os.path.join(out, "v73chunks.mat"), "r+b") as f:
    whole = f.read()
    for old, new in changes:
        assert whole.count(old) == 1
        whole = whole.replace(old, new)
    f.seek(0)
    f.write(whole)
print("h5py", h5py.__version__, "mat73", importlib.metadata.version("mat73"), "hdf5storage", hdf5storage.__version__)
