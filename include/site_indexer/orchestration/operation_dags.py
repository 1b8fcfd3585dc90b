"""One Dag for each thing that a person does to a site's indexes, with the site as an option.

docs/spec/05-index-lifecycle.md, 5.19. Those that change what searchers see look first, and ask
where much would go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from airflow.sdk import DAG, Context, Param

from site_indexer.orchestration import operation_options as options
from site_indexer.orchestration.approvals import Approve, Asking
from site_indexer.orchestration.live_asset import any_live_outlet
from site_indexer.orchestration.operation_alerts import on_operation_failure, on_operation_waiting
from site_indexer.orchestration.operation_docs import APPROVE, OPERATIONS
from site_indexer.orchestration.operation_tasks import OperationTasks
from site_indexer.orchestration.operation_use_cases import (
    OperationUseCaseSource,
    operation_use_cases,
)
from site_indexer.orchestration.script_dag import START, STORE_TIMEOUT, TAG, retrying
from site_indexer.orchestration.steps import Step
from site_indexer.sites.loader import site_files

OPERATION_PREFIX = "site_indexer_"

Body = Callable[[Context], Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class _Shape:
    """What an operation's Dag is made of; the first of two tasks is followed by an approval.

    That of two tasks changes what live shows.

    Options are made anew for each Dag: a run leaves its choices in them.
    """

    params: Mapping[str, Callable[[], Param]]
    bodies: Callable[[OperationTasks], tuple[tuple[str, Body], ...]]


_SHAPES: Mapping[str, _Shape] = {
    "push_live": _Shape(
        {options.FORCE: options.force_param},
        lambda tasks: (("look", tasks.look_at_push), ("push_live", tasks.push_live)),
    ),
    "roll_back": _Shape(
        {options.GENERATION: options.generation_param},
        lambda tasks: (("look", tasks.look_at_rollback), ("roll_back", tasks.roll_back)),
    ),
    "drop_staged": _Shape({}, lambda tasks: (("drop_staged", tasks.drop_staged),)),
    "watermark": _Shape(
        {
            options.TARGET: options.target_param,
            options.VALUE: options.watermark_param,
            options.CLEAR: options.clear_param,
        },
        lambda tasks: (("set_watermark", tasks.set_watermark),),
    ),
    "hold": _Shape(
        {options.ACTION: options.action_param, options.ON_RELEASE: options.on_release_param},
        lambda tasks: (("hold", tasks.hold),),
    ),
}


def operation_dag_id(operation: str) -> str:
    """The id of an operation's Dag."""
    return f"{OPERATION_PREFIX}{operation}"


def operation_dags(
    directory: Path,
    *,
    only: str | None = None,
    use_cases: OperationUseCaseSource = operation_use_cases,
) -> Iterator[DAG]:
    """The operation Dags for the sites of a folder. With ``only``, the id of a Dag, that one."""
    if only is not None and only not in map(operation_dag_id, _SHAPES):
        return
    sites = [path.stem for path in site_files(directory)]
    for operation in _SHAPES:
        if only in (None, operation_dag_id(operation)):
            yield build_operation_dag(operation, sites, use_cases)


def build_operation_dag(
    operation: str, sites: Sequence[str], use_cases: OperationUseCaseSource = operation_use_cases
) -> DAG:
    """Build the Dag of one operation. ``use_cases`` gives its tasks what they call."""
    shape, docs = _SHAPES[operation], OPERATIONS[operation]
    params = {options.SITE: options.site_param(sites)}
    params |= {name: make() for name, make in shape.params.items()}
    dag = DAG(
        dag_id=operation_dag_id(operation),
        description=docs.description,
        doc_md=docs.text,
        schedule=None,
        start_date=START,
        catchup=False,
        params=params,
        on_failure_callback=on_operation_failure(operation_dag_id(operation), _words(operation)),
        tags={TAG, "operation"},
        default_args={"owner": TAG, "execution_timeout": STORE_TIMEOUT, **retrying()},
    )
    with dag:
        _wire(operation, OperationTasks(use_cases, tuple(params)))
    return dag


def _words(operation: str) -> str:
    return operation.replace("_", " ")


def _wire(operation: str, tasks: OperationTasks) -> None:
    *looks, (act_id, act_body) = _SHAPES[operation].bodies(tasks)
    docs = OPERATIONS[operation].tasks
    outlets = [any_live_outlet()] if looks else []
    act = Step(task_id=act_id, body=act_body, doc_md=docs[act_id], outlets=outlets)
    for look_id, look_body in looks:
        look = Step(task_id=look_id, body=look_body, doc_md=docs[look_id])
        approve = Approve(
            task_id="approve",
            doc_md=APPROVE,
            asking=Asking(tasks.question, tasks.ask, tasks.answer),
            asker=look_id,
            notifiers=[on_operation_waiting(operation_dag_id(operation), _words(operation))],
        )
        look >> approve >> act
