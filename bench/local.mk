# SPDX-License-Identifier: BSD-3-Clause
# bench/compare and what is kept of what it measured: for developers, nothing is built or installed.
bench_scripts = bench/compare bench/compare_peers.py bench/compare_functions.py bench/compare_gradients.py bench/compare_linalg.py \
  bench/compare_kits.py bench/compare_jobs.py bench/compare_filters.py bench/compare_ultrasound.py bench/compare_nn.py \
  bench/compare_report.py bench/compare_tme.py bench/simulate_ranks.py bench/coarse.py bench/recall.py
EXTRA_DIST += $(bench_scripts) bench/README bench/findings bench/results
