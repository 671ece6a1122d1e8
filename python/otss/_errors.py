"""The exceptions and warnings of otss. Messages of the C++ library are rewritten in Python's spelling."""
from __future__ import annotations

import re
import sys
from typing import Any, Optional


class Error(Exception):
    """The base of every exception that otss raises on purpose."""


class InputError(Error, ValueError):
    """A table, a value, a model file or an argument cannot be used. The message names it and says what to do."""


class InputTypeError(Error, TypeError):
    """An argument has the wrong type."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class Cancelled(Error):
    """The progress callback cancelled the computation."""


class ComputationError(Error, RuntimeError):
    """The computation could not be finished."""


class NotFittedError(Error, ValueError, AttributeError):
    """A method was called that needs a fitted model."""


class DataWarning(UserWarning):
    """Something about the data that a user should know."""


_CLASSES: dict[str, type[Error]] = {
    "usage": InputError, "input": InputError, "io": FileError, "interrupted": Cancelled, "failed": ComputationError}

# Options whose names differ from the arguments of Python.
_ARGUMENTS = {"context": "contexts", "weight": "sample_weight", "group": "groups", "center-factors": "centered_by",
              "keep-objective": "keep_objective", "query": "query", "id": "id", "context-id": "context_id"}
_FLAGS = ("no-intercept", "no-refit", "ignore-case", "refit", "simultaneous", "explain", "in-sample", "keep-objective")
_OPTION = re.compile(r"--([a-z][a-z-]*)(?: ('[^']*'|[0-9][0-9.]*|[A-Z]+\b(?:=[A-Z]+)?))?")


def in_python(message: str) -> str:
    """Returns the message with options of the command line written as arguments.

    >>> in_python("say which value counts as 1, for example --positive 'yes'")
    "say which value counts as 1, for example positive='yes'"
    >>> in_python("leave it out of --factors")
    'leave it out of factors'
    """
    def argument(match: re.Match[str]) -> str:
        option, value = match.group(1), match.group(2)
        name = _ARGUMENTS.get(option, option.replace("-", "_"))
        if option in _FLAGS:
            return f"{name}=True" + (f" {value}" if value else "")
        if value is None or value.isupper():
            return name
        return f"{name}={value}"
    return _OPTION.sub(argument, message)


def from_core(code: str, message: str) -> Error:
    """Returns the exception for an error of the C++ library."""
    return _CLASSES[code](in_python(message))


def not_fitted(estimator: Any, method: str) -> Exception:
    """Returns the error of an estimator that is not fitted. If scikit-learn is loaded, it is also scikit-learn's."""
    message = f"this {type(estimator).__name__} is not fitted yet; call fit() before {method}"
    sklearn: Optional[Any] = sys.modules.get("sklearn.exceptions")
    if sklearn is None:
        return NotFittedError(message)
    both = type("NotFittedError", (NotFittedError, sklearn.NotFittedError), {"__module__": __name__})
    error: Exception = both(message)
    return error
