#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/affine.txt: results of scipy.ndimage.affine_transform and spline_filter (SciPy 1.10.1).

Input element k (C order) of every case is ((k * 7919 + 13) % 101) / 64 - 0.5, which both sides make exactly.
A case is a line: ndim, order, prefilter, input extents, output extents; the matrix rows [M | t]; the output in C order. Numbers
that are not whole are in C99 hexadecimal.
"""
import os
import numpy as np
from scipy import ndimage

rng = np.random.default_rng(7)


def rotation(n, angle):
    m = np.eye(n)
    c, s = np.cos(angle), np.sin(angle)
    for i in range(n - 1):
        r = np.eye(n)
        r[i, i] = r[i + 1, i + 1] = c
        r[i, i + 1], r[i + 1, i] = -s, s
        m = m @ r
    return m


def cases():
    for order, prefilter in ((0, True), (1, True), (3, True), (3, False)):
        for shape, out in (((1,), (3,)), ((2,), (5,)), ((9,), (9,)), ((70,), (20,)), ((7, 6), (7, 6)), ((1, 5), (3, 4)),
                           ((5, 12), (4, 7)), ((4, 5, 6), (4, 5, 6)), ((3, 2, 7), (4, 4, 4))):
            n = len(shape)
            centre = (np.array(shape) - 1) / 2
            for m in (np.eye(n), rotation(n, 0.7), rng.normal(size=(n, n)) * 0.6):
                # the shifts are no multiples of 1/2: points on a boundary are a matter of rounding
                yield order, prefilter, shape, out, m, centre - m @ ((np.array(out) - 1) / 2) + rng.uniform(0.01, 0.4, n)
            if shape in ((9,), (7, 6), (4, 5, 6)):
                yield order, prefilter, shape, out, np.eye(n), np.zeros(n)


with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), 'affine.txt'), 'w') as f:
    for order, prefilter, shape, out, m, t in cases():
        k = np.arange(np.prod(shape))
        x = (((k * 7919 + 13) % 101) / 64 - 0.5).reshape(shape)
        y = ndimage.affine_transform(x, m, t, output_shape=out, order=order, mode='constant', cval=0, prefilter=prefilter)
        numbers = (float(v).hex() for v in (*np.column_stack((m, t)).ravel(), *y.ravel()))
        print(len(shape), order, int(prefilter), *shape, *out, *numbers, file=f)
