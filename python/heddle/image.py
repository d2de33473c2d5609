# SPDX-License-Identifier: BSD-3-Clause
"""Images and volumes: filters, splines, masks, rigid transforms, peaks."""

from ._core import (affine_transform, center_of_mass, correlate1d, extract_center, gaussian_filter,  # noqa: F401
                    gradient_magnitude, laplace, map_coordinates, mask_box, mask_ellipse, mask_membrane, mask_tube,
                    max_filter_coordinates, maximum_filter, median_filter, minimum_filter, norm_scores, peak_local_max,
                    rigid_transform, sobel, spline_filter, topleft_pad, uniform_filter, zoom)

__all__ = [name for name in dir() if not name.startswith("_")]
