"""Fits on a cluster of Dask: the rows stay in the workers, which answer sums; the driver runs the optimizer.

>>> import otss.dask                                                                        # doctest: +SKIP
>>> model = otss.dask.fit(ddf, otss.Roles(context=["age"], factors=["price"], outcome="y"), client=client)  # doctest: +SKIP

The log is a Dask data frame, a Dask bag or a list of paths of Parquet files, or a list of futures of frames. Each worker encodes its partitions
once and keeps them. If a worker dies, Dask encodes its partitions again on another worker, and the fit goes on to the same model: the sums of
partitions are added in the order of the partitions, never in the order in which they arrive.
"""
from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Sequence
from typing import Any, Optional

import dask
import distributed

from . import _core
from ._errors import InputError, InputTypeError
from ._progress import Reporting
from ._roles import Roles
from ._tables import Columns, table_of
from .estimators import OTSS, OTSSRegressor

__all__ = ["decide", "evaluate", "fit", "weights"]


# --- what runs in the workers --------------------------------------------------------------------------------------------------


def _source(part: Any, roles: Roles, index: int) -> _core.Source:
    """A partition as a table of the C++ library. Its name in messages says which partition it is."""
    if isinstance(part, (str, os.PathLike)):
        return _core.Source(os.fspath(part), "", {}, 1)
    columns = Columns(part, f"partition {index}")
    return _core.Source(table_of(columns, roles.columns_of(columns), [roles.time] if roles.time else []), "", {}, 1)


def _summarize(part: Any, roles: Roles, index: int) -> bytes:
    """What the encoding must know about the partition; empty if it has no rows."""
    if not isinstance(part, (str, os.PathLike)) and len(part) == 0:
        return b""
    return _core.summarize_partition(_source(part, roles, index), roles.as_dict())


def _encode(part: Any, roles: Roles, index: int, plan: bytes, place: int) -> _core.LogPartition:
    return _core.LogPartition(_source(part, roles, index), plan, place)


def _answer(partitions: Sequence[_core.LogPartition], requests: Sequence[bytes]) -> list[bytes]:
    return [partition.answer(request) for partition, request in zip(partitions, requests)]


# --- what runs in the driver ---------------------------------------------------------------------------------------------------


def _is_frame(data: Any) -> bool:
    return hasattr(data, "map_partitions") and hasattr(data, "divisions") and hasattr(data, "columns")


def _together(data: Any, group: Optional[str]) -> Any:
    """A Dask frame in which all rows of a group are in one partition."""
    if group is None or (data.known_divisions and data.index.name == group):
        return data
    return data.shuffle(on=group)


def _partitions(data: Any, roles: Roles) -> list[Any]:
    """The partitions: paths, delayed frames, or futures of frames."""
    if isinstance(data, (str, os.PathLike)):
        data = [data]
    if _is_frame(data):
        return list(_together(data, roles.group).to_delayed())
    if hasattr(data, "to_delayed"):  # a bag; its items are paths
        data = data.compute()
    parts = list(data)
    for part in parts:
        if not isinstance(part, (str, os.PathLike, distributed.Future)) and not dask.is_dask_collection(part):
            raise InputTypeError(f"a partition is {type(part).__name__}; give a Dask data frame, a bag or list of paths of Parquet files, or "
                                 "a list of futures of frames")
    if not parts:
        raise InputError("the log has no partitions; give at least one")
    return parts


class _Workers:
    """The encoded partitions in the workers of a cluster."""

    def __init__(self, client: distributed.Client, data: Any, roles: Roles, family: str) -> None:
        self.client = client
        parts = _partitions(data, roles)
        summaries = client.gather([self._run(_summarize, part, roles, i) for i, part in enumerate(parts)])
        filled = [i for i, summary in enumerate(summaries) if summary]
        if not filled:
            raise InputError("the log has no rows; give at least one row")
        self.plan = _core.plan_partitions([summaries[i] for i in filled], family)
        self.partitions = [self._run(_encode, parts[i], roles, i, self.plan, place) for place, i in enumerate(filled)]
        distributed.wait(self.partitions)
        self._groups: dict[Optional[str], list[int]] = {}
        self._looked = -math.inf

    def _run(self, function: Callable[..., Any], part: Any, *arguments: Any) -> distributed.Future:
        """Runs the function on a partition. Dask runs it again where a worker dies, from the source of the partition."""
        if dask.is_dask_collection(part):
            return self.client.compute(dask.delayed(function, pure=False)(part, *arguments))
        return self.client.submit(function, part, *arguments, pure=False)

    def _by_worker(self) -> dict[Optional[str], list[int]]:
        """The partitions that each worker has. Partitions that are being encoded again are those of worker None. The scheduler is asked at
        most once a second, because its answer takes longer than a small pass; an old answer costs time after a death, and no bit."""
        if time.monotonic() - self._looked < 1:
            return self._groups
        self._looked = time.monotonic()
        holders = self.client.who_has(self.partitions)
        groups: dict[Optional[str], list[int]] = {}
        for i, partition in enumerate(self.partitions):
            has = holders.get(partition.key) or [None]
            groups.setdefault(min(has, key=str), []).append(i)
        self._groups = groups
        return groups

    def ask(self, requests: list[bytes]) -> list[bytes]:
        """Carries requests to the partitions and returns the answers in the order of the partitions: one task per worker."""
        to_all = len(requests) == 1 and len(self.partitions) > 1
        answers = [b""] * len(self.partitions)
        tasks = []
        for worker, indices in self._by_worker().items():
            asked = [i for i in indices if to_all or requests[i]]
            if asked:
                texts = requests * len(asked) if to_all else [requests[i] for i in asked]
                where = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
                held = [self.partitions[i] for i in asked]
                tasks.append((asked, self.client.submit(_answer, held, texts, pure=False, **where)))
        for asked, texts in zip((asked for asked, _ in tasks), self.client.gather([task for _, task in tasks])):
            for i, text in zip(asked, texts):
                answers[i] = text
        return answers


def _client(client: Optional[distributed.Client]) -> distributed.Client:
    if client is None:
        return distributed.get_client()
    if not isinstance(client, distributed.Client):
        raise InputTypeError(f"client is {client!r}; give a distributed.Client")
    return client


def fit(data: Any, roles: Roles, client: Optional[distributed.Client] = None, **options: Any) -> Any:
    """Fits the model to the rows of all partitions and returns the fitted estimator, as `otss.OTSS(**options).fit(frame, roles=roles)` does.

    `data` is a Dask data frame, a bag or list of paths of Parquet files that every worker can read, or a list of futures of frames. Rows of one group
    must be in one partition; those of a data frame are brought together. Factors are number columns or terms. Other methods, posterior draws, the
    gate mlp and units need all rows in one process and are refused. Without `client`, the current client is used.
    """
    if not isinstance(roles, Roles):
        raise InputTypeError(f"roles is {roles!r}; give otss.Roles(context=[…], factors=[…], outcome='…')")
    estimator = OTSS(**options) if options.get("family", "bernoulli") == "bernoulli" else OTSSRegressor(**options)
    workers = _Workers(_client(client), data, roles, estimator._family)
    with Reporting(estimator.progress) as report:
        model = _core.fit_partitions(workers.plan, workers.ask, estimator._fit_options(), report)
    estimator._adopt(model, None)
    return estimator


def _mapped(function: Callable[[Any], Any], data: Any) -> Any:
    """The results of the function for each partition: a Dask frame for a Dask frame, else a list of delayed results."""
    if _is_frame(data):
        return data.map_partitions(function, meta=function(data.head(1, npartitions=-1)).iloc[:0])
    return [dask.delayed(function)(part) for part in data]


def weights(model: Any, data: Any, **options: Any) -> Any:
    """The weights of each context, as `model.weights` gives them, partition by partition. A Dask data frame gives a Dask data frame; a list of
    delayed frames or futures gives a list of delayed frames."""
    if "interval" in options:
        return _mapped(lambda frame: _with_bounds(model.weights(frame, **options)), data)
    return _mapped(lambda frame: model.weights(frame, **options), data)


def _with_bounds(found: Any) -> Any:
    """Weights and their bounds in one frame: price, price_lo, price_hi, …"""
    return found.weights.join(found.lo.add_suffix("_lo")).join(found.hi.add_suffix("_hi"))


def decide(model: Any, data: Any, library: Any, **options: Any) -> Any:
    """The decisions of each context, as `model.decide` gives them, partition by partition. `row` counts within the partition."""
    return _mapped(lambda frame: model.decide(frame, library, **options), data)


def evaluate(model: Any, data: Any, client: Optional[distributed.Client] = None) -> dict[str, float]:
    """Means over the rows of all partitions: `rows`, `log_loss` and `brier`. Other numbers of `model.evaluate` are not sums over rows."""
    parts = data.to_delayed() if _is_frame(data) else list(data)
    tasks = [dask.delayed(_evaluate_part)(model, part) for part in parts]
    found = [one for one in _client(client).gather(_client(client).compute(tasks)) if one["rows"] > 0]
    rows = sum(one["rows"] for one in found)
    names = [name for name in ("log_loss", "brier") if all(name in one for one in found)]
    return {"rows": float(rows), **{name: sum(one["rows"] * one[name] for one in found) / rows for name in names}}


def _evaluate_part(model: Any, frame: Any) -> dict[str, float]:
    if len(frame) == 0:
        return {"rows": 0}
    return {"rows": len(frame), **{name: one.value for name, one in model.evaluate(frame).measures.items()}}
