# SPDX-License-Identifier: BSD-3-Clause
"""The kit for ultrasound, against NumPy's formulas."""

import pytest

import heddle as hd
from heddle import ultrasound as us


def test_coherence(np, rng, each_backend):
    x = rng.normal(size=(8, 5)) + 1j * rng.normal(size=(8, 5))
    wanted = abs(x.sum(axis=0)) ** 2 / (8 * (abs(x) ** 2).sum(axis=0))
    np.testing.assert_allclose(np.asarray(us.coherence_factor(x)), wanted, rtol=1e-12)
    np.testing.assert_allclose(np.asarray(us.coherence_factor(x.T, axis=-1)), wanted, rtol=1e-12)
    wanted = abs(x.sum(axis=0)) / abs(x).sum(axis=0)
    np.testing.assert_allclose(np.asarray(us.coherence_factor(x, amplitude=True)), wanted, rtol=1e-12)


def test_contrast(np, rng):
    inside, outside = rng.normal(size=500), 3 * rng.normal(size=700)
    p, q = inside ** 2, outside ** 2
    assert us.cnr(inside, outside).item() == pytest.approx((p.mean() - q.mean()) / np.sqrt(p.var() + q.var()))
    edges = np.linspace(-9, 9, 33)
    h = [np.histogram(v, edges)[0] for v in (inside, outside)]
    wanted = 1 - np.minimum(h[0] / h[0].sum(), h[1] / h[1].sum()).sum()
    assert us.gcnr(inside, outside, edges=edges).item() == pytest.approx(wanted)
    image = rng.normal(size=(20, 30))
    mask = np.zeros(image.shape, bool)
    mask[5:10, 5:20] = True
    got = us.contrast(image, image, inside_mask=mask, outside_mask=~mask).item()
    assert got == pytest.approx((image[mask] ** 2).mean() / (image[~mask] ** 2).mean())


def test_clipping_and_time(np, rng):
    x = rng.normal(size=(6, 40))
    np.testing.assert_array_equal(np.asarray(us.is_clipped_threshold(x, high=1.0)), abs(x) >= 1)
    np.testing.assert_array_equal(np.asarray(us.is_clipped_threshold(x, high=1.0, low=-2.0)), (x >= 1) | (x <= -2))
    np.testing.assert_array_equal(np.asarray(us.is_clipped_threshold(x, high=1.0, low=0.0)), (x >= 1) | (x <= 0))
    np.testing.assert_allclose(np.asarray(us.tsnr(x)), x.mean(axis=1) ** 2 / x.var(axis=1), rtol=1e-10)
    assert np.array_equal(us.is_clipped_max_amplitude(x, runs_only=1), us.is_clipped_max_amplitude(x, runs_only=np.True_))
    for wrong in ({"runs_only": 2}, {"method": 2}, {"high": 2.0}):
        with pytest.raises(ValueError, match=r"\b2\b"):
            us.is_clipped_max_amplitude(x, **wrong)


def test_point_targets(np):
    z, x = np.mgrid[:41, :51]
    image = np.exp(-(z - 20) ** 2 / (2 * 3.0 ** 2) - (x - 25) ** 2 / (2 * 5.0 ** 2))
    width = 2 * np.sqrt(2 * np.log(2)) * np.array([3.0, 5.0])
    np.testing.assert_allclose(np.asarray(us.fwhm(image)), width, rtol=1e-4)
    np.testing.assert_allclose(np.asarray(us.fwhm(image, spacing=[0.1, 0.2], method="line")), width * [0.1, 0.2], rtol=0.01)
    assert us.fwhm(image, rotated=True).shape == (3,) and us.fwhm(image, axes=1).shape == (1,)
    assert us.peak(image).tolist() == [20, 25] and us.psf_axes(image) == (0, 1)
    with pytest.raises(ValueError, match="spacing"):
        us.fwhm(image, spacing=[1.0])


def test_images(np, rng, tmp_path):
    x = rng.normal(size=(30, 4))
    spectrum = np.fft.fft(x, axis=0)
    spectrum[1:15] *= 2
    spectrum[16:] = 0
    envelope = abs(np.fft.ifft(spectrum, axis=0))
    np.testing.assert_allclose(np.asarray(us.envelope(x)), envelope, rtol=1e-9)
    wanted = np.clip(20 * np.log10(envelope / envelope.max()), -40, 0)
    np.testing.assert_allclose(np.asarray(us.bmode_db(envelope, dynamic_range=40)), wanted, atol=1e-9)
    image, grid = us.scan_convert(envelope, rho=[0.01, 0.05], theta=[-0.3, 0.3], fill=0.0)
    assert image.shape == (grid.nz, grid.nx) and bool(hd.all(hd.isfinite(image)))
    assert bool(hd.any(hd.isnan(us.scan_convert(envelope, rho=[0.01, 0.05], theta=[-0.3, 0.3])[0])))
    np.save(tmp_path / "a.npy", x)
    data = us.read(tmp_path / "a.npy")
    assert data.content == "array" and bool(hd.all(data.data == x)) and np.isnan(data.sound_speed) and data.rho is None
    with pytest.raises(OSError):
        us.read(tmp_path / "none.npy")
