# SPDX-License-Identifier: BSD-3-Clause
"""Template matching: copies of a template in a noisy volume or image, by exhaustive search over rotations.

    volume, truth = match.simulate(template, (96, 96, 96), copies=5, snr=0.05)
    found = match.run(volume, template, match.rotations(3, 20), workers="cpu*2")
    for peak in match.peaks(found.scores, found.rotations, num_peaks=5, min_distance=10):
        print(peak.position, peak.score)

Everything of the kit is here under the names of <heddle/kits/>, without hed_ and match_: masks, filters, tilt series, maps,
atomic models, tables of other programs, refinement. Axes are (z, y, x), lengths angstrom; rotation matrices are in array axis
order. progress= is called with what is done and the total; what it raises, or Ctrl-C, ends the run, and so does a true answer.
"""

from . import _match
from ._match import *  # noqa: F401,F403
from ._match import Map, map_read as read_map, map_write, model_example, model_read  # noqa: F401
from ._match import rotations_sample as rotations  # noqa: F401

__all__ = [name for name in vars(_match) if not name.startswith("_")] + [
    "rotations", "memory", "read_map", "write_map", "model_map", "simulate"]


def memory(target, template, *, score="FLC", pad=False, n_workers=1) -> int:
    """Bytes that a run needs at its largest, for the shapes of target and template."""
    return _match.memory(score, target, template, pad, n_workers)


def write_map(path, data, *, voxel=None, origin=None, mode=2) -> None:
    """Write an MRC file; VOXEL and ORIGIN in angstrom, (z, y, x). Mode 2 is float32."""
    map_write(path, Map(data=data, voxel=voxel, origin=origin), mode)


def model_map(path, voxel, resolution, shape=None) -> Map:
    """Density of the atomic model in a PDB or mmCIF file; PATH None: of an invented molecule, for demonstrations."""
    atoms = model_example() if path is None else model_read(path)
    return atoms.to_map(voxel, resolution, shape)


def simulate(template, shape, **options) -> "Any":
    """A volume with copies of TEMPLATE at random, and where they are: a Table, whose rows have position, euler and score.

    The options are those of <heddle/kits/match.h>: copies, snr, seed, distance, voxel, noise_sigma, invert, tilt_low, tilt_high.
    """
    return _match.simulate(template, shape=shape, **options)
