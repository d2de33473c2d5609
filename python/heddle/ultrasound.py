# SPDX-License-Identifier: BSD-3-Clause
"""How good ultrasound data and images are, and pictures of them.

    factor = ultrasound.coherence_factor(channels, axis=-1)
    ultrasound.gcnr(image, image, inside_mask=lesion, outside_mask=background)
    picture = ultrasound.bmode_db(ultrasound.envelope(lines), dynamic_range=50)

One axis, or a few, is what a metric is about; all others are batch, and stay in the result. Options are keywords, those of
<heddle/kits/ultrasound.h>.
"""

from . import _ultrasound
from ._ultrasound import *  # noqa: F401,F403

__all__ = [name for name in vars(_ultrasound) if not name.startswith("_")]
