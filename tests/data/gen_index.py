#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Writes tests/data/index.txt: random index expressions and what NumPy (2.4.6) makes of them. Of a thousand, no two with keys of
the same kinds in the same order, it takes as few as have every three neighbouring kinds of the thousand (an end counts as one).

A line is SHAPE;KEYS;RESULT SHAPE;GET;VALUE SHAPE;SET;ADD. X holds 0, 1, 2, ... in C order, the value 1000, 1007, 1014, ...;
GET is the hash of x[keys], SET that of x after x[keys] = value with the last of several values for one element, ADD that of
x after np.add.at(x, keys, value). A hash is h = 0; h = h * 1099511628211 + v (mod 2^64) over int64 elements in C order.
NumPy's refusals have ! instead of a result.

Keys, by blanks: I5 integer; S1:9:2 slice, any number may be missing; N new axis; E ellipsis; A2x3=0,1,.. integer array;
M2x2=0110 mask. Extents are joined by x; no extents mean no axes.
"""
import os
import random
import numpy as np

rng = random.Random(20)


def text(shape):
    return "x".join(str(n) for n in shape)


def digest(a):
    h = 0
    for v in np.asarray(a).ravel().tolist():
        h = (h * 1099511628211 + v) % 2**64
    return f"{h:x}"


def random_shape(zeros=True):
    return tuple(rng.choice([0, 1, 2, 3, 4, 5] if zeros and rng.random() < .1 else [1, 2, 2, 3, 3, 4, 5])
                 for _ in range(rng.choice([0, 1, 2, 2, 3, 3, 3, 4, 4, 5])))


def random_key(dims, common, wrong):
    """A key for the axes that DIMS begins with: the text, NumPy's object, the number of axes."""
    n = dims[0] if dims else 1
    kind = rng.random()
    if kind < .2:
        i = rng.randint(-n, n - 1) if n and not wrong else n + rng.randint(0, 2)
        return f"I{i}", i, 1
    if kind < .45:
        part = [rng.choice([None, rng.randint(-n - 2, n + 2)]) for _ in range(2)]
        step = rng.choice([None, 1, 2, 3, -1, -2, 7])
        return "S" + ":".join("" if v is None else str(v) for v in [*part, step]), slice(*part, step), 1
    if kind < .6:
        m = rng.randint(0, min(3, len(dims)))
        shape = list(dims[:m])
        if wrong and m:
            shape[0] += 1
        a = np.array([rng.random() < .5 for _ in range(int(np.prod(shape)))], bool).reshape(shape)
        return f"M{text(shape)}=" + "".join(str(int(v)) for v in a.ravel()), a, m
    shape = [rng.choice([1, d]) for d in common[rng.randint(0, len(common)):]]
    low, high = (-n, n - 1) if not wrong else (-n - 1, n)
    size = int(np.prod(shape))
    if n == 0:
        shape, size = [0], 0
    a = np.array([rng.randint(low, high) for _ in range(size)], np.int64).reshape(shape)
    return f"A{text(shape)}=" + ",".join(str(v) for v in a.ravel()), a, 1


def expression():
    shape = random_shape()
    common = [rng.randint(1, 3) for _ in range(rng.randint(0, 2))]
    words, keys, axis = [], [], 0
    ellipsis = rng.random() < .3
    while axis < len(shape) or rng.random() < .15:
        u = rng.random()
        if u < .12:
            words.append("N"), keys.append(None)
        elif u < .24 and ellipsis:
            ellipsis = False
            words.append("E"), keys.append(Ellipsis)
            axis += rng.randint(0, len(shape) - axis) if axis < len(shape) else 0
        elif u < .27:
            break
        else:
            # behind an ellipsis the axes are those of the end; extents then may not fit, which is a case too
            w, k, n = random_key(shape[axis:], common, rng.random() < .02)
            words.append(w), keys.append(k)
            axis += n
        if len(words) > 8:
            break
    return shape, words, tuple(keys)


def kinds(words):
    """Of each key its kind and axes; which way slices go."""
    return " ".join(w[0] + ("-" if "-" in w.split(":")[-1] else "") if w[0] == "S" else
                    w[0] + str(len(w[1:].split("=")[0].split("x")) if w[1] != "=" else 0) if w[0] in "AM" else w[0] for w in words)


def chosen(lines):
    """Of LINES those that together have all that threes() finds, the richest first, in their order."""
    def threes(line):
        k = ["^", *kinds(line.split(";")[1].split()).split(), "$"]
        return {(line[-1] == "!", *k[i:i + 3]) for i in range(max(1, len(k) - 2))}
    missing, taken = set().union(*map(threes, lines)), []
    while missing:
        taken.append(max(range(len(lines)), key=lambda i: len(threes(lines[i]) & missing)))
        missing -= threes(lines[taken[-1]])
    return [lines[i] for i in sorted(taken)]


def main():
    out, seen, refused = [], set(), 0
    while len(out) < 1000:
        shape, words, keys = expression()
        x = np.arange(int(np.prod(shape)), dtype=np.int64).reshape(shape)
        line = f"{text(shape)};{' '.join(words)};"
        kind = kinds(words)
        try:
            y = x[keys]
        except (IndexError, ValueError):
            if refused < 100 and (kind, "!") not in seen:
                out.append(line + "!")
                seen.add((kind, "!"))
                refused += 1
            continue
        if y.size > 400 or kind in seen:
            continue
        seen.add(kind)
        y = np.asarray(y)
        vshape = [rng.choice([1, n, n, n]) for n in y.shape][rng.randint(0, y.ndim) if rng.random() < .3 else 0:]
        value = (1000 + 7 * np.arange(int(np.prod(vshape)), dtype=np.int64)).reshape(vshape)
        whole = np.broadcast_to(value, y.shape).ravel()
        a, b = x.copy().ravel(), x.copy().ravel()
        for place, v in zip(y.ravel().tolist(), whole.tolist()):  # y holds the places themselves
            a[place] = v
            b[place] += v
        check = x.copy()
        np.add.at(check, keys, value)
        assert (check.ravel() == b).all()
        out.append(line + ";".join([text(y.shape), digest(y), text(vshape), digest(a), digest(b)]))
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "index.txt"), "w", encoding="ascii") as f:
        f.write("\n".join(chosen(out)) + "\n")


main()
