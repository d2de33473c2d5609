# SPDX-License-Identifier: BSD-3-Clause
# Writes tests/data/filters.h: answers of scipy.ndimage for one small image, a volume and a line.
# Run with NumPy and SciPy installed:  python3 filters.py >filters.h
import textwrap

import numpy as np
import scipy
from scipy import ndimage as nd

image = np.array([[(7 * i * i + 3 * j * j * j + 5 * i * j) % 23 - 9 for j in range(7)] for i in range(5)], float)
volume = np.array([[[(3 * i * i + 5 * j + 7 * k * k * j) % 11 - 4 for k in range(4)] for j in range(3)] for i in range(4)], float)
modes = {"REFLECT": "reflect", "CONSTANT": "constant", "NEAREST": "nearest", "MIRROR": "mirror", "WRAP": "wrap"}
spline_modes = {"REFLECT": "reflect", "CONSTANT": "constant", "MIRROR": "mirror", "WRAP": "grid-wrap"}
points = np.array([[0, 4, 1.25, 2.5, 3.9, -0.3, -3.2, 4.4, 9.1, 2.0], [0, 6, 3.75, 0.5, 5.1, 2.2, 8.7, 6.3, -5.6, 3.0]])


def put(name, a):
    values = ", ".join("%.14g" % v for v in np.ravel(a))
    print(textwrap.fill("static const double %s[] = { %s };" % (name, values), 135, subsequent_indent="  "))


print("// SPDX-License-Identifier: BSD-3-Clause")
print("/* Made by filters.py with SciPy %s. */" % scipy.__version__)
put("sp_image", image)
put("sp_volume", volume)
put("sp_points", points)
for ours, mode in modes.items():
    kw = dict(mode=mode, cval=2.5)
    put("sp_correlate_odd_" + ours, nd.correlate1d(image, [1, -2, 4, 0.5, 3], axis=0, **kw))
    put("sp_correlate_even_" + ours, nd.correlate1d(image, [1, -2, 4, 0.5], axis=1, **kw))
    put("sp_correlate_long_" + ours, nd.correlate1d(image, np.arange(1.0, 16.0), axis=0, **kw))
    put("sp_gaussian_" + ours, nd.gaussian_filter(image, [0.8, 1.7], **kw))
    put("sp_uniform_" + ours, nd.uniform_filter(volume, 4, **kw))
    put("sp_laplace_" + ours, nd.laplace(volume, **kw))
    put("sp_sobel_" + ours, nd.sobel(volume, axis=1, **kw))
    put("sp_gradient_" + ours, nd.generic_gradient_magnitude(image, nd.sobel, **kw))
    put("sp_maximum_" + ours, nd.maximum_filter(image, 4, **kw))
    put("sp_minimum_" + ours, nd.minimum_filter(image, 3, **kw))
    put("sp_median_" + ours, nd.median_filter(image, 3, **kw))
    put("sp_median_even_" + ours, nd.median_filter(volume, 2, **kw))
put("sp_gaussian_truncate", nd.gaussian_filter(image, 1.3, truncate=2))
put("sp_gaussian_axis", nd.gaussian_filter1d(image, 1.3, axis=1))
for ours, mode in spline_modes.items():
    for order in (0, 1, 3):
        put("sp_map_%d_%s" % (order, ours), nd.map_coordinates(image, points, order=order, mode=mode, cval=2.5))
    matrix = np.array([[0.8, 0.3], [-0.4, 0.9]])
    put("sp_affine_" + ours,
        nd.affine_transform(image, matrix, offset=[0.41, 0.73], output_shape=(6, 5), order=3, mode=mode, cval=2.5))
for ours in ("REFLECT", "MIRROR", "WRAP"):
    put("sp_spline_" + ours, nd.spline_filter(image, order=3, mode=spline_modes[ours]))
clipped = np.clip(points, 0, [[4], [6]])
put("sp_map_nearest", nd.map_coordinates(image, clipped, order=3, mode="mirror"))
put("sp_map_volume", nd.map_coordinates(volume, [[0.5, 2.9], [1.1, 0.2], [1.6, 2.8]], order=3, mode="mirror"))
put("sp_zoom", nd.zoom(image, (9 / 5, 4 / 7), order=3, mode="mirror"))
put("sp_zoom_line", nd.zoom(image[0], 12 / 7, order=1, mode="mirror"))
put("sp_center", nd.center_of_mass(np.where(image > 2, image, 0)))
put("sp_center_all", nd.center_of_mass(image + 20))
