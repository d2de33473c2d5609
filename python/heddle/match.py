# SPDX-License-Identifier: BSD-3-Clause
"""Template matching: copies of a template in a noisy volume or image, by exhaustive search over rotations.

    volume, truth = match.simulate(template, (96, 96, 96), copies=5, snr=0.05)
    found = match.run(volume, template, match.rotations(3, 20), workers="cpu*2")
    for peak in match.peaks(found.scores, found.rotations, num_peaks=5, min_distance=10):
        print(peak.position, peak.score)

Axes are (z, y, x), lengths angstrom; rotation matrices are in array axis order. Scores: CC, CORR, FLCSphericalMask, FLC.
"""

from collections import namedtuple

from . import _core

__all__ = "run memory sphere rotations peaks read_map write_map model_map simulate Result Peak Map Particle".split()

Result = namedtuple("Result", "scores rotations workers transform parts memory seconds setup_seconds")
Peak = namedtuple("Peak", "position score rotation")
Map = namedtuple("Map", "data voxel origin stack label")
Particle = namedtuple("Particle", "position euler score")


def run(target, template, rotations, mask=None, *, score="FLC", workers=None, spline="cubic", pad=False, threshold=0.0,
        memory_limit=0, progress=None):
    """Score TEMPLATE in every orientation of ROTATIONS (n, d, d) everywhere in TARGET.

    WORKERS are specs with an optional count, "cuda:0,cpu*2": each worker is a thread in a context of its own; None is one in
    the caller's. PROGRESS is called with the rotations that are done and their number; what it raises, or Ctrl-C, ends the
    run. MEMORY_LIMIT in bytes divides large targets into parts.
    """
    return Result(*_core._match_run(target, template, rotations, mask, score=score, workers=workers, spline=spline, pad=pad,
                                   threshold=threshold, memory_limit=memory_limit, progress=progress))


def memory(target, template, *, score="FLC", pad=False, n_workers=1):
    """Bytes that a run needs at its largest, for the shapes of target and template."""
    return _core._match_memory(score, target, template, pad, n_workers)


def sphere(shape, radius=0.0):
    """A mask: 1 within RADIUS elements of the centre; 0: half the smallest extent."""
    return _core._match_sphere(shape, radius)


def rotations(ndim, step):
    """Rotations (n, ndim, ndim) that cover all orientations evenly at STEP degrees; the first is the identity."""
    return _core._match_rotations(ndim, step)


def peaks(scores, rotations, *, num_peaks=1000, min_distance=1.0, min_score=None, border=0.0):
    """Local maxima, best first, at least MIN_DISTANCE elements from all better ones."""
    return [Peak(*p) for p in _core._match_peaks(scores, rotations, num_peaks=num_peaks, min_distance=min_distance,
                                                min_score=min_score, border=border)]


def read_map(path):
    """A density map or image of an MRC file."""
    return Map(*_core._match_read_map(str(path)))


def write_map(path, data, *, voxel=None, origin=None, mode=2):
    """Write an MRC file; VOXEL and ORIGIN in angstrom, (z, y, x). Mode 2 is float32."""
    _core._match_write_map(str(path), data, voxel=voxel, origin=origin, mode=mode)


def model_map(path, voxel, resolution, shape=None):
    """Density of the atomic model in a PDB or mmCIF file; PATH None: of an invented molecule, for demonstrations."""
    return Map(*_core._match_model_map(None if path is None else str(path), voxel, resolution, shape))


def simulate(template, shape, *, copies=1, snr=0.0, seed=0, distance=0.0):
    """A volume with copies of TEMPLATE at random, and where they are: a list of Particle."""
    volume, rows = _core._match_simulate(template, shape, copies=copies, snr=snr, seed=seed, distance=distance)
    return volume, [Particle(*r) for r in rows]
