"""The parameters of the estimators. The C++ library describes each option once; names, defaults and help come from there."""
from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any

from . import _core
from ._errors import InputError, in_python

DESCRIBED: dict[str, dict[str, Any]] = {option["name"]: option for option in _core.fit_options()}

# Parameters that are not options of the fit itself.
OTHERS = {
    "factors": "with fit(X, y): which columns of X are factors, by name or position; None: the first column",
    "contexts": "with fit(X, y): which columns of X are contexts, by name or position; None: all columns that are not factors",
    "terms": "terms of the factors that are added: 'none', 'squares', 'pairs' (products of two factors), 'logs' or 'auto' (those "
             "that predict held-out rows better)",
    "init": "a fitted estimator at which the fit starts; the experts keep their order",
    "progress": "'auto': a bar in terminals and notebooks; True; False; or a function of (fraction, what) that may return False to "
                "stop the fit",
    "unknown": "what to do with levels that no training row had: 'warn' or 'error'",
    "outside": "what to do with numbers far outside the range of training: 'warn' or 'error'",
}


def sign_text(sign: Any) -> str:
    """The sign constraints as text: {"price": "-"} becomes 'price=-'."""
    if not isinstance(sign, Mapping):
        return sign or ""
    return ",".join(f"{_quoted(factor)}={wanted}" for factor, wanted in sign.items())


def bounds_text(bounds: Any) -> str:
    """The bounds as text: {"price": (-2, 0)} becomes 'price=-2:0'; None means no bound."""
    if not isinstance(bounds, Mapping):
        return bounds or ""
    parts = []
    for factor, pair in bounds.items():
        try:
            lo, hi = pair
        except (TypeError, ValueError):
            raise InputError(f"bounds[{factor!r}] is {pair!r}; give (lo, hi), with None for no bound") from None
        parts.append(f"{_quoted(factor)}={'' if lo is None else repr(float(lo))}:{'' if hi is None else repr(float(hi))}")
    return ",".join(parts)


def _quoted(name: Any) -> str:
    text = str(name)
    return '"' + text.replace('"', '""') + '"' if "," in text or text.startswith('"') else text


def parameter_docs(names: list[str]) -> str:
    """The section "Parameters" of a docstring."""
    lines = ["Parameters", "----------"]
    for name in names:
        if name in DESCRIBED:
            option = DESCRIBED[name]
            lines.append(f"{name} : {option['allows']}, default {option['default']!r}")
            text = in_python(option["help"])
        else:
            lines.append(name)
            text = OTHERS[name]
        lines += textwrap.wrap(text[0].upper() + text[1:] + ".", 96, initial_indent="    ", subsequent_indent="    ",
                               break_on_hyphens=False)
    return "\n".join(lines)
