from __future__ import annotations

from site_indexer.orchestration import dag_reference
from site_indexer.orchestration.script_dag import build_script_dag


def test_the_reference_is_what_the_dags_say() -> None:
    """If this fails, run ``make dag-reference`` and look at the difference."""
    assert dag_reference.PAGE.read_text(encoding="utf-8") == dag_reference.reference()


def test_the_reference_has_every_task_and_option() -> None:
    page = dag_reference.reference()
    dag = build_script_dag(dag_reference.EXAMPLE)
    assert [name for name in (*dag.task_ids, *dag.params) if f"| `{name}` |" not in page] == []
