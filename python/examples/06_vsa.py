# SPDX-License-Identifier: BSD-3-Clause
"""What is the dollar of Mexico? (P. Kanerva, AAAI Fall Symposium 2010.) Records of two countries, and an analogy."""

import heddle as hd
from heddle import vsa

m = vsa.model("bsc", dim=10000, seed=1, layout="packed")
items = m.items()
items.add("Washington dollar Mexico_City peso".split())
roles = m.symbols(["name", "capital", "currency"])


def record(*names: str) -> hd.Array:
    return m.bind_pairs(roles, m.symbols(list(names)))


usa, mexico = record("USA", "Washington", "dollar"), record("Mexico", "Mexico_City", "peso")
answer = m.bind(m.symbol("dollar"), m.bind(usa, mexico))
index, similarity = items.query(answer)
print("the dollar of Mexico is the", items.label(int(index[0])), f"({float(similarity[0]):.2f})")
assert hd.get_backend()
