#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Writes fft.h: transforms of Hermitian input, frequencies, shifts, analytic signals, convolutions and correlations of
# small arrays, as NumPy and SciPy give them.  Complex values are pairs.
import textwrap

import numpy as np
import scipy
import scipy.fft as sf
import scipy.signal as ss

print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Written by fft.py with NumPy %s and SciPy %s. */" % (np.__version__, scipy.__version__))

def put(name, values):
    v = np.asarray(values)
    v = np.stack([v.real, v.imag], -1) if np.iscomplexobj(v) else v
    text = ", ".join("%.15g" % x for x in v.ravel())
    print(textwrap.fill("static const double %s[] = { %s };" % (name, text), 135, subsequent_indent="  "))

rng = np.random.default_rng(7)
x = np.round(rng.uniform(-4, 4, 4), 2) + 1j * np.round(rng.uniform(-4, 4, 4), 2)
put("hermitian_in", x)
put("hfft_6", sf.hfft(x))
put("hfft_7", sf.hfft(x, 7))
put("hfft_6_ortho", sf.hfft(x, norm="ortho"))
put("hfft_6_forward", sf.hfft(x, norm="forward"))
y = np.round(rng.uniform(-4, 4, 7), 2)
put("real_in", y)
put("ihfft_7", sf.ihfft(y))
put("ihfft_6", sf.ihfft(y, 6))
put("ihfft_9_ortho", sf.ihfft(y, 9, norm="ortho"))
z = np.round(rng.uniform(-4, 4, (3, 3)), 2) + 1j * np.round(rng.uniform(-4, 4, (3, 3)), 2)
put("plane_in", z)
put("hfft2_35", sf.hfft2(z, (3, 5)))
put("ihfft2_33", sf.ihfft2(z.real))
put("irfft_odd", sf.irfft(x, 7))
put("irfft_even", sf.irfft(x))
put("fftfreq_7", sf.fftfreq(7, 0.5))
put("fftfreq_8", sf.fftfreq(8))
put("rfftfreq_7", sf.rfftfreq(7, 0.5))
put("fftshift_35", sf.fftshift(np.arange(15.).reshape(3, 5)))
put("ifftshift_35", sf.ifftshift(np.arange(15.).reshape(3, 5)))
put("hilbert_7", ss.hilbert(y))
put("hilbert_6", ss.hilbert(y[:6]))
put("hilbert_10", ss.hilbert(y, 10))

a, b = np.round(rng.uniform(-4, 4, 7), 2), np.round(rng.uniform(-4, 4, 4), 2)
put("conv_a", a)
put("conv_b", b)
for mode in ("full", "same", "valid"):
    put("convolve_" + mode, ss.convolve(a, b, mode, method="direct"))
    put("correlate_" + mode, ss.correlate(a, b, mode, method="direct"))
c = np.round(rng.uniform(-4, 4, 5), 2) + 1j * np.round(rng.uniform(-4, 4, 5), 2)
d = np.round(rng.uniform(-4, 4, 3), 2) + 1j * np.round(rng.uniform(-4, 4, 3), 2)
put("conv_c", c)
put("conv_d", d)
put("convolve_complex", ss.convolve(c, d, method="direct"))
put("correlate_complex", ss.correlate(c, d, method="direct"))
p, q = np.round(rng.uniform(-4, 4, (5, 6)), 2), np.round(rng.uniform(-4, 4, (3, 2)), 2)
put("plane_p", p)
put("plane_q", q)
for mode in ("full", "same", "valid"):
    put("convolve2d_" + mode, ss.convolve2d(p, q, mode))
    put("correlate2d_" + mode, ss.correlate(p, q, mode, method="direct"))  # its correlate2d is one off in mode same
put("circular", sf.irfft(sf.rfft(a) * sf.rfft(a[::-1]), 7))
put("circular_correlation", sf.irfft(sf.rfft(a) * np.conj(sf.rfft(a[::-1])), 7))
for kind in (1, 2, 3, 4):
    for norm in ("backward", "ortho", "forward"):
        put("dct%d_%s" % (kind, norm), sf.dct(a, kind, norm=norm))
        put("dst%d_%s" % (kind, norm), sf.dst(a, kind, norm=norm))
