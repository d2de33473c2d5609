# SPDX-License-Identifier: BSD-3-Clause
# bench/compare and what it measured: for developers, nothing is built or installed.
bench_scripts = bench/compare bench/compare_peers.py bench/compare_functions.py bench/compare_linalg.py \
  bench/compare_jobs.py bench/compare_filters.py \
  bench/compare_report.py bench/compare_tme.py
EXTRA_DIST += $(bench_scripts) bench/README bench/reasons bench/reasons-memory \
  bench/findings/functions bench/findings/match bench/findings/memory bench/findings/products \
  bench/findings/sorting bench/findings/workers \
  bench/results/2026-11-20-dispatch.json bench/results/2026-11-20-match.json \
  bench/results/compare-2026-11-23T0257-amd-epyc.json bench/results/compare-2026-11-23T0257-amd-epyc.txt \
  bench/results/compare-2026-11-23T0257-amd-epyc.svg \
  bench/results/compare-2026-11-23T2109-intel-xeon.json bench/results/compare-2026-11-23T2109-intel-xeon.txt \
  bench/results/compare-2026-11-23T2109-intel-xeon.svg \
  bench/results/compare-2026-11-23T1817-amd-epyc.json bench/results/compare-2026-11-23T1817-amd-epyc.txt \
  bench/results/compare-2026-11-23T1817-amd-epyc.svg \
  bench/results/compare-2026-11-24T0200-amd-epyc.json bench/results/compare-2026-11-24T0200-amd-epyc.txt \
  bench/results/compare-2026-11-24T0200-amd-epyc.svg \
  bench/results/compare-avx2-2026-11-22T2117-amd-epyc.json bench/results/compare-avx2-2026-11-22T2117-amd-epyc.txt \
  bench/results/compare-avx2-2026-11-22T2117-amd-epyc.svg \
  bench/results/2026-11-23-scaling.txt bench/results/2026-11-24-dispatch.txt bench/results/2026-11-24-scaling.txt
