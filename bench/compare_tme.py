# SPDX-License-Identifier: BSD-3-Clause
"""pyTME in a process of its own: it wants another NumPy than other peers may, and starts workers of its own.

Requests on standard input, answers on standard output, as `heddle bench --serve` does:
    version                  of pyTME
    open SCORE FOLDER JOBS   target.npy, template.npy, mask.npy, rotations.npy and scores.npy there
    sample                   ns per rotation, without what a search needs once: from searches of two lengths
    compare                  the largest difference from these scores, over all voxels
"""
import os
import sys
import time

FEW, MANY = 4, 20


class Search:
    def __init__(self, score, folder, jobs):
        import numpy as np
        from tme.analyzer import MaxScoreOverRotations
        from tme.backends import backend
        from tme.matching_data import MatchingData
        from tme.matching_exhaustive import MATCHING_EXHAUSTIVE_REGISTER, match_exhaustive
        backend.change_backend("numpyfftw")
        self.np, self.data, self.run = np, MatchingData, match_exhaustive
        self.have = {k: np.load(os.path.join(folder, k + ".npy")) for k in ("target", "template", "mask", "rotations", "scores")}
        setup, process = MATCHING_EXHAUSTIVE_REGISTER[score]
        # pyTME's matrices take places of the turned template to those of the template, ours the other way round
        self.have["rotations"] = np.ascontiguousarray(self.have["rotations"].transpose(0, 2, 1), np.float32)
        self.options = dict(matching_setup=setup, matching_score=process, job_schedule=(1, jobs),
                            callback_class=MaxScoreOverRotations, callback_class_args={"score_threshold": 0},
                            pad_target_edges=False, interpolation_order=3)
        self.search(FEW)

    def search(self, n):
        """Seconds of a search over N rotations, and its scores."""
        h = self.have
        data = self.data(target=h["target"].copy(), template=h["template"].copy(), template_mask=h["mask"].copy(),
                         rotations=h["rotations"][:n].copy())
        start = time.perf_counter()
        found = self.run(matching_data=data, **self.options)
        return time.perf_counter() - start, found[0]

    def sample(self):
        few, many = self.search(FEW)[0], self.search(MANY)[0]
        return 1e9 * (many - few) / (MANY - FEW)

    def compare(self):
        ours = self.have["scores"]
        return float(self.np.abs(self.np.asarray(self.search(len(self.have["rotations"]))[1]) - ours).max())


def main():
    out = os.fdopen(os.dup(1), "w")     # nobody else writes there
    os.dup2(2, 1)
    search = None
    for line in sys.stdin:
        word, *rest = line.split()
        try:
            if word == "version":
                from importlib.metadata import version
                answer = version("pytme")
            elif word == "open":
                search, answer = Search(rest[0], rest[1], int(rest[2])), "ok"
            else:
                answer = "%.6g" % getattr(search, {"sample": "sample", "compare": "compare"}[word])()
        except Exception as e:  # noqa: BLE001 - a peer that cannot is a result
            answer = "error %s: %s" % (type(e).__name__, str(e).replace("\n", " ")[:200])
        print(answer, file=out, flush=True)


if __name__ == "__main__":
    main()
