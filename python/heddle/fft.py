# SPDX-License-Identifier: BSD-3-Clause
"""Fourier transforms: the array API's fft extension, and the library's others."""

from . import _core
from ._array_api import default_dtype, on
from ._core import (apply_convolution_mode, circular_convolve, circular_correlate, compute_convolution_shapes,  # noqa: F401
                    convolve, correlate, fftconvolve, fftcorrelate, fftfreqn, fft_good_size, hilbert, ihfftn, hfftn,
                    scramble_phases, shift_fourier)

__all__ = """fft ifft fftn ifftn rfft irfft rfftn irfftn hfft ihfft fft2 ifft2 rfft2 irfft2 fftfreq rfftfreq fftshift
 ifftshift hfftn ihfftn convolve correlate fftconvolve fftcorrelate circular_convolve circular_correlate fftfreqn
 fft_good_size hilbert scramble_phases shift_fourier apply_convolution_mode compute_convolution_shapes""".split()


def along(op, doc):
    def transform(x, /, *, n=None, axis=-1, norm="backward"):
        return op(x, axes=axis, s=n, norm=norm)
    transform.__doc__ = doc + " N crops or fills with zeros first."
    transform.__name__ = transform.__qualname__ = op.__name__[:-1]
    return transform


def over(op, doc, axes_default=None):
    def transform(x, /, *, s=None, axes=axes_default, norm="backward"):
        if axes == ():
            return _core.copy(x)
        return op(x, axes=axes, s=s, norm=norm)
    transform.__doc__ = doc + " S crops or fills with zeros first."
    transform.__name__ = transform.__qualname__ = op.__name__
    return transform


fft = along(_core.fft1, "Complex transform along one axis.")
ifft = along(_core.ifft1, "Its inverse.")
rfft = along(_core.rfft1, "Transform of real elements along one axis: n/2 + 1 elements.")
irfft = along(_core.irfft1, "Its inverse; N is the real extent.")
hfft = along(_core.hfft1, "Transform of Hermitian elements, of which half is given: real.")
ihfft = along(_core.ihfft1, "Its inverse.")
fftn = over(_core.fftn, "Complex transform over axes.")
ifftn = over(_core.ifftn, "Its inverse.")
rfftn = over(_core.rfftn, "Transform of real elements over axes; the last one is halved.")
irfftn = over(_core.irfftn, "Its inverse; S are the real extents.")
fft2 = over(_core.fft2, "Complex transform over two axes.", (-2, -1))
ifft2 = over(_core.ifft2, "Its inverse.", (-2, -1))
rfft2 = over(_core.rfft2, "Transform of real elements over two axes.", (-2, -1))
irfft2 = over(_core.irfft2, "Its inverse.", (-2, -1))


def fftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Frequency of each element of fft: 0, 1, ..., -1 over d n."""
    return on(device, _core.fftfreq(n, d, default_dtype(0.0) if dtype is None else dtype))


def rfftfreq(n, /, *, d=1.0, dtype=None, device=None):
    """Frequency of each element of rfft: 0, 1, ..., n/2 over d n."""
    return on(device, _core.rfftfreq(n, d, default_dtype(0.0) if dtype is None else dtype))


def fftshift(x, /, *, axes=None):
    """Element 0 moved to n/2, the centre."""
    return _core.fftshift(x, axes)


def ifftshift(x, /, *, axes=None):
    """The inverse of fftshift."""
    return _core.ifftshift(x, axes)
