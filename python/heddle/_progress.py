# SPDX-License-Identifier: BSD-3-Clause
"""What shows how far a long run of a kit is that nobody gave a progress= for: a bar of tqdm, where that is installed and somebody
looks: a terminal or a notebook. TQDM_DISABLE=1 is tqdm's own way to have none."""

import sys

from . import _core


class Bar:
    """A progress= callable: (done, total) of a search, (sweep, restart, error, seconds) of a decomposition."""

    def __init__(self, bar):
        self.bar = bar

    def __call__(self, done, total, error=None, seconds=None):
        if error is None:
            self.bar.total = total
        else:
            self.bar.set_postfix(error=f"{error:.3g}", refresh=False)
        self.bar.update(done - self.bar.n)
        return False

    def close(self):
        self.bar.close()


def bar(name):
    """The Bar of function NAME, or None."""
    notebook = "ipykernel" in sys.modules
    if not notebook and not (sys.stderr and sys.stderr.isatty()):
        return None
    try:
        from tqdm.auto import tqdm
    except ImportError:
        return None
    return Bar(tqdm(desc=name, leave=False))


_core.set_bar(bar)
