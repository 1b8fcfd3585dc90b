"""Writes docs/reference/dags.md from the Dags' own documentation.

The page shows the Dags of an example site; those of all sites are alike. ``make dag-reference``
writes it, and a test fails where it is not what the Dags say.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from airflow.sdk import DAG

from site_indexer.orchestration.operation_dags import build_operation_dag
from site_indexer.orchestration.operation_docs import OPERATIONS
from site_indexer.orchestration.placeholder_dag import ERROR_TAG, build_placeholder_dag
from site_indexer.orchestration.script_dag import build_script_dag
from site_indexer.sites.definition import ScheduleSection, ScriptSection, SiteDefinition
from site_indexer.sites.loader import SiteFileError

PAGE = Path(__file__).parents[3] / "docs" / "reference" / "dags.md"

EXAMPLE = SiteDefinition(
    id="docs",
    name="Product documentation",
    owner="team-docs@example.com",
    timezone="Europe/Madrid",
    script=ScriptSection(url="https://docs.example.com/indexlist.txt"),
    schedule=ScheduleSection.model_validate({"every": "6h", "base_time": "02:30"}),
)


def reference() -> str:
    """The whole page."""
    error = SiteFileError("include/sites/docs.yaml:4: onwer: unknown field; did you mean 'owner'?")
    return "\n".join(
        [
            "# Dags",
            "",
            "*Written by `make dag-reference` from the Dags' own documentation; do not edit.*",
            "",
            f"Each site has the Dags below. They are shown for a site `{EXAMPLE.id}`.",
            "",
            *_section(build_script_dag(EXAMPLE)),
            "# For all sites",
            "",
            "One Dag for each thing that a person does to a site's indexes.",
            "",
            *(
                line
                for operation in OPERATIONS
                for line in _section(build_operation_dag(operation, [EXAMPLE.id]))
            ),
            "## Where a site file cannot be used",
            "",
            f"The site then has a Dag of the same id with the tag `{ERROR_TAG}` and one task that "
            "fails with the error. Other sites are not touched.",
            "",
            str(build_placeholder_dag("docs_script", error).doc_md),
        ]
    )


def _section(dag: DAG) -> Iterator[str]:
    yield f"## `{dag.dag_id}`"
    yield ""
    yield f"{dag.description}. Tags: {', '.join(f'`{tag}`' for tag in sorted(dag.tags))}."
    scheduled: object = dag.schedule
    if scheduled is None:
        yield "Run by hand only."
    else:
        yield f"At most {dag.max_active_runs} runs at a time; missed runs are not made up for."
    yield ""
    yield str(dag.doc_md)
    yield "### Options"
    yield ""
    yield "| option | title | default | meaning |"
    yield "| --- | --- | --- | --- |"
    for name in dag.params:
        param = dag.params.get_param(name)
        schema = param.schema
        shown = schema.get("values_display", {})
        default = shown.get(param.value, str(param.value).lower()) or "empty"
        yield f"| `{name}` | {schema['title']} | {default} | {schema['description_md']} |"
    yield ""
    yield "### Tasks"
    yield ""
    yield "| task | after | runs when those | time limit | what it does |"
    yield "| --- | --- | --- | --- | --- |"
    for task in dag.topological_sort():  # type: ignore[no-untyped-call]
        after = ", ".join(f"`{name}`" for name in sorted(task.upstream_task_ids)) or "the start"
        rule = _RULES[task.trigger_rule.value]
        limit = f"{task.execution_timeout.total_seconds() / 60:.0f} min"
        yield f"| `{task.task_id}` | {after} | {rule} | {limit} | {task.doc_md} |"
    yield ""


_RULES = {
    "all_success": "succeeded",
    "none_failed": "succeeded or were skipped",
    "all_done": "ended, however",
}


def write() -> None:
    """Write the page."""
    PAGE.write_text(reference(), encoding="utf-8")


if __name__ == "__main__":
    write()
