# SPDX-License-Identifier: BSD-3-Clause
"""The loop of training, and L-BFGS, for losses that are written in Python."""

import atexit
import weakref
from contextlib import suppress
from operator import index
from os import fspath
from typing import NamedTuple

from . import _core, _grad, _nn
from ._modules import Module

__all__ = ["Epoch", "History", "LBFGS", "Reader", "fit"]


class Epoch(NamedTuple):
    """What is known after an epoch: its number from 1, the mean loss, that of the validation (NaN: there is none), the rate, whether
    it is the best so far, and the seconds since the run began."""

    epoch: int
    loss: float
    validation: float
    rate: float
    best: bool
    seconds: float


class History:
    """How a run of fit went: loss, validation (NaN where there is none) and rate, an Array of all epochs each; best_epoch (from 1) and
    best; stopped, "epochs", "patience" or "progress"; skipped, steps that were not made; seconds; scale, a LossScale or None."""

    def __init__(self, loss, validation, rate, best_epoch, best, stopped, skipped, seconds, scale):
        self.loss, self.validation, self.rate, self.best_epoch, self.best = loss, validation, rate, best_epoch, best
        self.stopped, self.skipped, self.seconds, self.scale = stopped, skipped, seconds, scale

    @property
    def epochs(self) -> "int":
        """How many there were."""
        return self.loss.size

    def __repr__(self):
        return f"History(epochs={self.epochs}, best_epoch={self.best_epoch}, best={self.best:.6g}, stopped={self.stopped!r})"

    def save(self, path) -> "None":
        """The curves into a file: ".npy" or ".tsv", of epoch, loss, validation and rate, or ".svg", a picture."""
        _core._nn_history_save(self.loss, self.validation, self.rate, path)


def in_mode(tree, training):
    """TREE, whose modules are nobody else's, as a validation has it."""
    if not training:
        for part in [tree] if isinstance(tree, Module) else (_grad.children(tree) or ((), ()))[1] if tree is not None else ():
            part.eval() if isinstance(part, Module) else in_mode(part, training)
    return tree


def several(data):
    """One array, or a tuple or list of them."""
    return list(data) if isinstance(data, (tuple, list)) else [data]


def fit(model, loss, data, *, optimizer="adam", rate=None, epochs=10, batch=32, validation=None, patience=0, min_delta=0.0,
        accumulate=1, keep_order=False, drop_last=False, key=0, schedule=None, clip_norm=0.0, clip_value=0.0, scale=None, state=None,
        ahead=0, workers=None, callbacks=()) -> "History":
    """Train MODEL, a Module or a tree of Arrays, in place, on LOSS(model, *batch), the mean over a batch's samples.

    Parameters
    ----------
    data : Array, or tuple of them
        Samples along the first axes.
    optimizer : str or Optimizer
        A rule ("sgd", "adam", "adamw", ..), of RATE, or an Optimizer of the model's arrays in their order.
    epochs, batch : int
        Epochs in all, and samples of a batch.
    validation : as data
        What is judged by: the parameters of the best epoch come back. Modules are as after eval() there.
    patience : int
        Epochs without a loss that is better by MIN_DELTA until the run stops; 0: never.
    accumulate : int
        Batches to a step, whose gradients are averaged.
    keep_order, drop_last : bool
        Samples are not shuffled; a last batch with fewer samples is left out.
    key : int
        Of orders and draws: the same bits follow from the same key.
    schedule : dict
        Of the rate by epochs: kind ("constant", "step", "cosine", "plateau"), rate, factor, every, length, least, warm_up, patience.
    clip_norm, clip_value : float
        Bounds of the gradients' norm and elements; 0: none.
    scale : LossScale
        Of the loss, for parameters of 16 bits.
    state : path
        A file that is written after each epoch, and gone on with when it is there: the same bits as without a break.
    ahead : int
        Batches that a thread has ready before they are asked for.
    workers : str
        "cpu*4", "opencl,cpu*2": threads that divide each batch. LOSS is called by several of them at once.
    callbacks : callable, or sequence of them
        Called with the Epoch after each; what is true ends the run.

    LOSS is called on other threads than the caller's, and draws without a seed come from the key. Ctrl-C, or what a callback
    raises, ends the run with the parameters of the last whole epoch. heddle.Error: the loss is not finite, with the step and
    the first parameter whose gradient is not.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> x = hd.linspace(-1, 1, 64, dtype="float32")[:, None]
    >>> line = nn.Linear(1, 1, seed=1)
    >>> history = nn.fit(line, lambda m, x, y: nn.mse(m(x), y), (x, 3 * x), rate=0.1, epochs=60, batch=16)
    >>> history.stopped, round(float(line.parameters()["weight"][0, 0]), 2)
    ('epochs', 3.0)
    """
    _grad.checked("fit", loss)
    params = _grad.arrays_of("fit", model, "model")
    if isinstance(optimizer, str):
        optimizer = _nn.optimizer_create(params, rule=optimizer)
    if rate is not None:
        optimizer.set_rate(-1, rate)
    callbacks = [callbacks] if callable(callbacks) else list(callbacks)

    def ask(leaves, samples, training, *_):
        return loss(in_mode(_grad.rebuild(model, iter(leaves)), training), *samples)

    def tell(*now):
        return any([f(Epoch(*now)) for f in callbacks])   # each of them hears of it

    options = {"epochs": epochs, "batch": batch, "accumulate": accumulate, "keep_order": keep_order, "drop_last": drop_last,
               "key": key, "patience": patience, "min_delta": min_delta, "clip_norm": clip_norm, "clip_value": clip_value,
               "ahead": ahead, "state": state if state is None else fspath(state), "workers": workers}
    return History(*_core._nn_fit(ask, params, optimizer, several(data), None if validation is None else several(validation),
                                  {k: v for k, v in options.items() if v is not None}, schedule, scale, tell if callbacks else None))


class LBFGS:
    """L-BFGS on a MODEL, a Module or a tree of Arrays of one type, with PyTorch's defaults: steps ask for the loss themselves.
    LINE_SEARCH: strong Wolfe conditions.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> w = [hd.zeros((2,), dtype="float64")]
    >>> search = nn.LBFGS(w, line_search=True)
    >>> search.step(lambda w: hd.sum(hd.square(w[0] - 3)))
    18.0
    >>> hd.round(w[0]).tolist()
    [3.0, 3.0]
    """

    def __init__(self, model, *, rate=1.0, max_iterations=20, max_calls=None, history=100, tol_gradient=1e-7, tol_change=1e-9,
                 line_search=False):
        options = {"rate": rate, "max_iterations": max_iterations, "max_calls": max_calls, "history": history,
                   "tol_gradient": tol_gradient or -1.0, "tol_change": tol_change or -1.0, "line_search": line_search}
        self._model = model
        self._search = _core._nn_lbfgs(_grad.arrays_of("LBFGS", model, "model"), {k: v for k, v in options.items() if v is not None})

    def step(self, loss, *args) -> "float":
        """Up to max_iterations steps on LOSS(model, *args), one real number; the loss at the beginning. What LOSS raises is raised,
        and Ctrl-C ends it when LOSS has returned. RuntimeError: another thread's step, or that which LOSS is asked for, runs."""
        _grad.checked("LBFGS.step", loss)
        return _core._nn_lbfgs_step(self._search, lambda leaves: loss(_grad.rebuild(self._model, iter(leaves)), *args))


_open = weakref.WeakSet()


@atexit.register
def _close_all():
    """Before the interpreter ends, which the threads' functions need."""
    for reader in list(_open):
        with suppress(RuntimeError):   # a thread that never ends waits for it
            reader.close()


class Reader:
    """COUNT batches, one after the other: READ(k) makes batch k, from 0 on, and a thread has the next ones ready meanwhile.

    Parameters
    ----------
    read : callable
        It is given k, and runs on another thread, one call at a time. Draws without a seed follow from KEY and k. What is no Array is
        copied.
    count : int
        Batches.
    arrays : int
        How many arrays READ returns, as a sequence; batches are tuples. None: one, which is the batch.
    ahead : int
        Batches at most that are ready before they are asked for; 0: none, and no thread.
    key : int
        Batches, their order and their bits are the same whatever AHEAD is.

    A reader is an iterator. What READ raises is raised where its batch is asked for, and the next batch follows. Ctrl-C ends the wait
    for a batch, which is then still to come; what READ raised in that call is its __context__. READ may refer to its reader.
    close(), or the end of a with statement, waits for the batch that is being read.
    RuntimeError: two threads ask at once, or READ asks its own reader; ValueError: it is closed.

    Examples
    --------
    >>> import heddle as hd
    >>> from heddle import nn
    >>> with nn.Reader(lambda k: hd.full((2,), float(k)), 3) as batches:
    ...     [x.tolist() for x in batches]
    [[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]]
    """

    def __init__(self, read, count, arrays=None, *, ahead=2, key=0):
        if not callable(read):
            raise TypeError(f"Reader: a function is needed, not {type(read)}")
        if arrays is not None and arrays < 1:
            raise ValueError(f"Reader: arrays is {arrays}, below 1")
        self._begin(read, arrays or 0, index(count), arrays is None, ahead, {"key": key})

    @staticmethod
    def of(data, *, batch=32, order=None, device=None, drop_last=False, ahead=2) -> "Reader":
        """Batches of DATA, an array or a tuple of them whose first axes are samples: with an ORDER, integers, which samples, copies;
        without one views, whose memory (of a mapped file: the pages) has been read. DEVICE: where they are moved to."""
        options = {"batch": batch, "order": order, "to": device, "drop_last": drop_last}
        made = Reader.__new__(Reader)
        made._begin(several(data), 0, None, not isinstance(data, (tuple, list)), ahead,
                    {k: v for k, v in options.items() if v is not None})
        return made

    def _begin(self, source, arrays, count, one, ahead, options):
        for name, value in ("count", count or 0), ("ahead", ahead):
            if value < 0:
                raise ValueError(f"Reader: {name} is {value}, below 0")
        self._one = one
        self._reader, self._count = _core._nn_reader(source, arrays, count, {**options, "ahead": ahead or -1})
        _open.add(self)

    def __len__(self) -> "int":
        return self._count

    def __iter__(self) -> "Reader":
        return self

    def __next__(self) -> "Any":
        try:
            batch = _core._nn_reader_next(self._reader)
        except StopIteration as e:
            raise RuntimeError("Reader: the function raised StopIteration") from e
        if batch is None:
            raise StopIteration
        return batch[0] if self._one else batch

    def close(self) -> "None":
        """Its thread ends. Twice is fine."""
        _core._nn_reader_close(self._reader)

    def __enter__(self) -> "Reader":
        return self

    def __exit__(self, *exception):
        self.close()
