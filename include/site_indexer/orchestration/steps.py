"""The two operators that runs are made of: a step does something, a gate also decides what not.

Airflow's own branch operator is wrong for four types of work of which one waits for another: what
is downstream of a chosen task is run whether it was chosen or not, and an empty choice skips the
join (docs/spec/05-index-lifecycle.md, *One run*).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from airflow.sdk import BaseOperator, Context
from airflow.sdk.bases.skipmixin import SkipMixin

from site_indexer.orchestration.failures import errors_for_airflow
from site_indexer.orchestration.parent_death import end_with_supervisor
from site_indexer.orchestration.task_log import quiet_libraries

RETURN_KEY = "return_value"


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate found, and what it skips: the rest of the run, or some tasks right after it."""

    result: Mapping[str, Any]
    rest: bool = False
    tasks: Collection[str] = ()


class Step(BaseOperator):
    """A task that calls ``body`` and keeps its result, ids and counts, as an XCom."""

    ui_color = "#e8f1fb"

    def __init__(self, *, body: Callable[[Context], Mapping[str, Any]], **kwargs: Any) -> None:  # noqa: ANN401 - passed on as they are
        super().__init__(**kwargs)
        self.body = body

    def execute(self, context: Context) -> Any:  # noqa: ANN401 - as in the base class
        """Run the body. Raises what Airflow acts on: see ``errors_for_airflow``."""
        _prepare_process()
        with errors_for_airflow():
            return plain(self.body(context))


class Gate(BaseOperator, SkipMixin):
    """A task whose ``body`` also says what of the run is skipped, and shown so."""

    ui_color = "#fdf3d8"
    # Airflow reads this to skip a cleared task again where its gate did not run anew.
    inherits_from_skipmixin = True

    def __init__(self, *, body: Callable[[Context], Decision], **kwargs: Any) -> None:  # noqa: ANN401 - passed on as they are
        super().__init__(**kwargs)
        self.body = body

    def execute(self, context: Context) -> Any:  # noqa: ANN401 - as in the base class
        """Run the body, keep its result, skip what it says."""
        _prepare_process()
        with errors_for_airflow():
            decision = self.body(context)
        result = plain(decision.result)
        # Skipping is done by raising, so a returned result would be lost.
        context["ti"].xcom_push(key=RETURN_KEY, value=result)
        if decision.rest:
            self.skip(ti=context["ti"], tasks=self.get_flat_relatives(upstream=False))
        elif decision.tasks:
            left_out = [task for task in self.downstream_list if task.task_id in decision.tasks]
            self.skip(ti=context["ti"], tasks=left_out)
        return result


def _prepare_process() -> None:
    end_with_supervisor()
    quiet_libraries()


def plain(result: Mapping[str, Any]) -> dict[str, Any]:
    """The result as plain JSON: enums as their values, tuples as lists."""
    flat: dict[str, Any] = json.loads(json.dumps(dict(result)))
    return flat
