# SPDX-License-Identifier: BSD-3-Clause
"""Copies of a molecule in a noisy volume, found by two workers on two backends."""

from heddle import match

template = match.model_map(None, 12.0, 30.0).data
volume, truth = match.simulate(template, (48, 48, 48), copies=2, snr=0.5, seed=1)
rotations = match.rotations(3, 40)
found = match.run(volume, template, rotations, workers="cpu,reference")
print(len(rotations), "rotations in", round(found.seconds, 1), "s:", {w.backend: w.rotations for w in found.workers})
peaks = match.peaks(found.scores, found.rotations, num_peaks=2, min_distance=8)
for peak in peaks:
    print(peak.position, round(peak.score, 2))
quality, partner = match.compare(match.table(peaks, 3, rotations, [12.0] * 3, [0.0] * 3), truth, 2.0)
print(f"{quality.hits} of {quality.truth} found")
