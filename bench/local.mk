# SPDX-License-Identifier: BSD-3-Clause
# Programs of bench/.
EXTRA_DIST += bench/README bench/results/2026-11-20-dispatch.json bench/results/2026-11-20-match.json
