# SPDX-License-Identifier: BSD-3-Clause
"""What notebooks show of the kits' results: pictures of their arrays and a table of the rest."""

import base64
import html
import struct
import zlib

from . import _array_api as xp
from . import _core, _match, _tensor, _ultrasound

MOST = 256   # pixels along an axis


def pixels(x):
    """X as a matrix of bytes: the largest value along all axes but the last two, black the least and white the most."""
    x = xp.astype(_core.abs(x) if xp.isdtype(x.dtype, "complex floating") else x, _core.float64).to("host")
    x = xp.reshape(x, (1,) * (2 - x.ndim) + x.shape)
    if x.ndim > 2:
        x = xp.max(x, axis=tuple(range(x.ndim - 2)))
    x = x[tuple(slice(None, None, -(-n // MOST)) for n in x.shape)]
    x = xp.where(_core.isfinite(x), x, 0.0)
    low, high = float(xp.min(x)), float(xp.max(x))
    return xp.astype((x - low) * (255 / (high - low) if high > low else 0.0), _core.uint8)


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png(x):
    """The file of a grey picture of X."""
    rows = pixels(x)
    height, width = rows.shape
    raw = rows.tobytes()
    lines = b"".join(b"\0" + raw[k:k + width] for k in range(0, len(raw), width))
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", zlib.compress(lines)) + chunk(b"IEND", b""))


def figure(name, x):
    if not x.size or x.ndim == 0:
        return ""
    data = base64.b64encode(png(x)).decode()
    return (f'<figure style="display:inline-block"><img style="min-height:2em" src="data:image/png;base64,{data}"/>'
            f"<figcaption>{html.escape(name)} {html.escape(str(x.shape))} {x.dtype}</figcaption></figure>")


def shown(self) -> str:
    """For notebooks: its arrays as pictures, its numbers as a table."""
    figures, rows = [], []
    for name in (n for n in dir(type(self)) if not n.startswith("_") and not callable(getattr(type(self), n))):
        value = getattr(self, name)
        arrays = value if isinstance(value, (list, tuple)) else [value]
        if arrays and all(isinstance(x, _core.Array) for x in arrays):
            figures += [figure(name if len(arrays) == 1 else f"{name}[{k}]", x) for k, x in enumerate(arrays)]
        elif value is not None:
            rows.append(f"<tr><th>{html.escape(name)}</th><td>{html.escape(str(value))}</td></tr>")
    kind = type(self)
    return (f"<div><b>{html.escape(f'{kind.__module__}.{kind.__qualname__}')}</b><br>{''.join(figures)}"
            f"<table>{''.join(rows)}</table></div>")


for module, names in ((_match, "Result Map"), (_tensor, "CP Tucker TensorTrain Parafac2 Regression Fit"), (_ultrasound, "Data")):
    for kind in names.split():
        if hasattr(module, kind):
            getattr(module, kind)._repr_html_ = shown
