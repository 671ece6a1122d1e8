"""Progress of long computations: a bar in terminals and notebooks, or a callback of the caller."""
from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Optional, Union

from ._errors import InputTypeError

Progress = Union[str, bool, None, Callable[[float, str], Any]]


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return shell is not None and type(shell).__name__ == "ZMQInteractiveShell"


class Bar:
    """A bar on standard error. It appears after a second, and disappears at the end."""

    WIDTH = 30

    def __init__(self) -> None:
        self.begin = time.monotonic()
        self.shown = ""

    def __call__(self, fraction: float, what: str) -> None:
        if time.monotonic() - self.begin < 1:
            return
        full = int(self.WIDTH * min(max(fraction, 0.0), 1.0))
        self._show(f"[{'#' * full}{'.' * (self.WIDTH - full)}] {100 * fraction:3.0f} %  {what}")

    def _show(self, line: str) -> None:
        print("\r" + line.ljust(len(self.shown)), end="", file=sys.stderr, flush=True)
        self.shown = line

    def close(self) -> None:
        if self.shown:
            self._show("")
            print("\r", end="", file=sys.stderr, flush=True)


class Reporting:
    """Gives the callback for the argument `progress`, and removes the bar at the end.

    "auto" shows a bar in a terminal or notebook, True always, False or None never; a callable is called with
    (fraction, what) and stops the computation by returning False.
    """

    def __init__(self, progress: Progress) -> None:
        self.bar: Optional[Bar] = None
        self.callback: Optional[Callable[[float, str], Any]] = None
        if callable(progress):
            self.callback = progress
        elif progress is True or (progress == "auto" and (sys.stderr.isatty() or _in_notebook())):
            self.callback = self.bar = Bar()
        elif progress not in (False, None, "auto"):
            raise InputTypeError(f"progress is {progress!r}; give 'auto', True, False or a function of (fraction, what)")

    def __enter__(self) -> Optional[Callable[[float, str], Any]]:
        return self.callback

    def __exit__(self, *unused: object) -> None:
        if self.bar is not None:
            self.bar.close()
