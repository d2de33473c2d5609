#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""A codebook as HoloVec 1.0.2 writes it: python3 tests/data/vsa_items.py tests/data/vsa_items.npz"""
import sys

from holovec import VSA
from holovec.retrieval.codebook import Codebook

model = VSA.create("BSC", dim=70, seed=1)
names = ("a", "grün", "\U0001f600x")
Codebook({name: model.random() for name in names}, backend=model.backend).save(sys.argv[1])
