# SPDX-License-Identifier: BSD-3-Clause
"""Channels with an echo and noise: coherence, B-mode, and how well a lesion can be told from what is around it."""

import heddle as hd
from heddle import ultrasound

channels = hd.random.normal((32, 200, 60), seed=1)            # channels, depth, lines
channels[:, 90:110, 25:35] += 1.5                             # what all channels see alike
factor = ultrasound.coherence_factor(channels)
print(f"coherence {factor[90:110, 25:35].mean().item():.2f} in the echo, {factor.mean().item():.2f} in all")

beam = channels.mean(axis=0)
picture = ultrasound.bmode_db(ultrasound.envelope(beam), dynamic_range=40)
z, x = hd.arange(200), hd.arange(60)
lesion = ultrasound.region_rectangle(z, x, 90, 109, 25, 34)
print("picture", picture.shape, "gCNR", f"{ultrasound.gcnr(beam, beam, inside_mask=lesion, outside_mask=~lesion).item():.2f}")
