# SPDX-License-Identifier: BSD-3-Clause
"""The table of rotations in tests/kit/rotation.c, computed by SciPy (1.10.1 was used).

Prints: Euler angles (intrinsic ZYZ, degrees), the matrix for axes (x, y, z), row by row, and
the quaternion (w, x, y, z) with w >= 0.
"""
from scipy.spatial.transform import Rotation


def numbers(values):
    return ", ".join("%.17g" % v for v in values)


ANGLES = [(30, 40, 50), (-120.5, 75.25, 170), (10, 179.5, -35), (0, 90, 0), (123, 0.75, -100)]
for angles in ANGLES:
    r = Rotation.from_euler("ZYZ", angles, degrees=True)
    x, y, z, w = r.as_quat()
    q = [w, x, y, z] if w >= 0 else [-w, -x, -y, -z]
    rows = r.as_matrix().tolist()
    print("    {{%s},\n     {%s},\n     {%s,\n      %s}}," % (
        numbers(angles), ",\n      ".join(numbers(row) for row in rows),
        numbers(q[:2]), numbers(q[2:])))
