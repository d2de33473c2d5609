# SPDX-License-Identifier: BSD-3-Clause
"""The kit for template matching."""

import threading

import pytest

import heddle as hd
from heddle import match


@pytest.fixture(scope="module")
def scene():
    template = match.model_map(None, 12.0, 30.0).data
    volume, truth = match.simulate(template, (40, 44, 48), copies=2, snr=0.5, seed=3)
    return template, volume, truth


def test_particles_are_found(scene):
    template, volume, truth = scene
    told = []
    found = match.run(volume, template, match.rotations(3, 30), workers="cpu,reference", progress=lambda *p: told.append(p))
    assert found.scores.shape == volume.shape and found.rotations.dtype == hd.int32 and len(found.workers) == 2
    assert sum(w.rotations for w in found.workers) == len(match.rotations(3, 30)) == told[-1][0] == told[-1][1]
    peaks = match.peaks(found.scores, found.rotations, num_peaks=2, min_distance=8)
    places = sorted(tuple(round(v) for v in t.position) for t in truth.rows)
    for p, t in zip(sorted(p.position for p in peaks), places):
        assert max(abs(a - b) for a, b in zip(p, t)) <= 2
    assert peaks[0].score >= peaks[1].score > 0.3


def test_from_coarse_to_fine(scene):
    template, volume, truth = scene
    found, stages = match.staged(volume, template, match.rotations(3, 30), bin=1, coarse=match.rotations(3, 40), candidates=20)
    assert stages.bin == 1 and stages.n_coarse == len(match.rotations(3, 40)) and 2 <= stages.candidates <= 20
    places = sorted(t.position for t in truth.rows)
    for p, t in zip(sorted(p.position for p in found.rows[:2]), places):
        assert max(abs(a - b) for a, b in zip(p, t)) <= 0.7
    assert found.rows[0].score >= found.rows[1].score > 0.3 and stages.background.cutoff < found.rows[1].score
    assert stages.coarse.scores.shape == volume.shape and stages.background.scores is None
    with pytest.raises(hd.InvalidError, match="score CC"):
        match.staged(volume, template, match.rotations(3, 90), score="CC")


def test_context_of_the_caller(scene):
    template, volume, _ = scene
    with hd.backend("reference"):
        found = match.run(volume[:24, :24, :24], template, match.rotations(3, 180))
    assert found.workers[0].backend == "reference"


def test_progress_that_raises_ends_the_run(scene):
    template, volume, _ = scene

    def stop(done, total):
        raise KeyError(done)
    with pytest.raises(KeyError):
        match.run(volume, template, match.rotations(3, 15), progress=stop)
    assert threading.active_count() < 10


def test_errors(scene):
    template, volume, _ = scene
    with pytest.raises(ValueError):
        match.run(volume, template, [[1.0, 0.0]])
    with pytest.raises(ValueError):
        match.run(template, volume, match.rotations(3, 90))
    with pytest.raises(ValueError):
        match.run(volume, template, match.rotations(3, 180), score="no score")
    with pytest.raises(ValueError):
        match.rotations(3, -1)


def test_a_row_of_numbers_is_whole():
    for voxel in ((4,), (4, 4, 4)):
        assert match.filter_make((8, 8), voxel=voxel, low_pass=16).shape == (8, 5)
    with pytest.raises(ValueError, match="voxel has 2 values; 3 are needed"):
        match.filter_make((8, 8), voxel=(4, 4), low_pass=16)


def test_maps(scene, tmp_path):
    template = scene[0]
    path = tmp_path / "a.mrc"
    match.write_map(path, template, voxel=(2, 2, 2), origin=(1, 2, 3))
    m = match.read_map(path)
    assert m.data.shape == template.shape and bool(hd.all(m.data == template)) and m.voxel == (2, 2, 2) and m.origin == (1, 2, 3)
    with pytest.raises(OSError):
        match.read_map(tmp_path / "none.mrc")
    assert match.memory((64, 64, 64), (16, 16, 16)) > 64 ** 3 * 4
    assert match.sphere((9, 9)).sum().item() > 40


def test_batches(scene):
    template, volume, _ = scene
    turns, two = match.rotations(3, 90), [template, hd.flip(template, axis=0)]
    each = [match.run(volume, t, turns, workers="cpu") for t in two]
    batch = match.run_batch(volume, two, turns, workers="cpu,reference")
    for a, b in zip(each, batch):
        assert float(hd.max(hd.abs(a.scores - b.scores))) < 1e-4 and b.n_rotations == len(turns)
    scores, rotations, templates = match.best(batch)
    assert bool(hd.all(scores == hd.maximum(batch[0].scores, batch[1].scores)))
    assert set(hd.unique_values(templates).tolist()) <= {-1, 0, 1} and rotations.dtype == hd.int32
    before = hd.stats()["arrays_live"]
    for wrong, words in ((two[:1] + [template[1:]], "axis 0"), ([], "no templates"), (template, "dimensions")):
        with pytest.raises(ValueError, match=words):
            match.run_batch(volume, wrong, turns)
    with pytest.raises(TypeError, match="results"):
        match.best([1])
    assert hd.stats()["arrays_live"] == before


def test_correlation_of_shells(np, rng):
    x = rng.normal(size=(16, 16, 16))
    fsc = match.map_fsc(x, x + 0.3 * rng.normal(size=x.shape))
    assert fsc.ndim == 1 and 8 <= len(fsc) <= 9 and 0.5 < float(hd.min(fsc)) and float(hd.max(fsc)) <= 1
    assert match.map_fsc(x, x).tolist() == pytest.approx([1] * len(fsc))
