"""``site-indexer log`` (docs/spec/08-shell.md, 8.6)."""

from __future__ import annotations

import json
import logging

import pytest

from site_indexer.cli.arguments import build_parser
from site_indexer.cli.log_command import log
from site_indexer.cli.output import Output
from site_indexer.errors import UsageError
from tests.integration.indexing.conftest import Workbench, workbench

__all__ = ["workbench"]

SCRIPT = (
    "date Tue, 01 Jan 2013 10:00:00 GMT",
    "add {web}/en/ nofollow",
    "add {web}/es/ nofollow",
)


@pytest.fixture
def run_id(
    workbench: Workbench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> str:
    """A run, and an environment in which the shell finds its log."""
    caplog.set_level(logging.INFO, "site_indexer")
    monkeypatch.setenv("SITE_INDEXER_SITES", str(workbench.collaborators.sites_dir))
    monkeypatch.setenv("SITE_INDEXER_OPENSEARCH_URL", workbench.opensearch_url)
    workbench.use_script(*SCRIPT)
    return workbench.run().run_id


def call(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    arguments = build_parser().parse_args(words)
    assert log(arguments, Output(as_json=arguments.format == "json")) == 0
    return capsys.readouterr().out


def test_the_newest_run_is_shown_with_its_last_lines(
    workbench: Workbench, run_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    text = call(capsys, "log", workbench.site, "--lines", "2").splitlines()
    assert text[0].startswith(f"{run_id}: script run of {workbench.site}, live, published; ")
    assert "Summary: 2 pages crawled, 2 indexed" in text[2]
    assert text[3].startswith("(2 of ")


def test_pages_of_a_run_as_json(
    workbench: Workbench, run_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def page(*words: str) -> dict[str, object]:
        options = ("--run", run_id, "--format", "json", *words)
        answer: dict[str, object] = json.loads(call(capsys, "log", workbench.site, *options))
        return answer

    def numbers(answer: dict[str, object]) -> list[int]:
        lines = answer["lines"]
        assert isinstance(lines, list)
        return [line["number"] for line in lines]

    whole = page("--first", "--lines", "10000")
    total = whole["total"]
    assert isinstance(total, int)
    assert numbers(whole) == list(range(1, total + 1))
    assert numbers(page("--from-line", "3", "--lines", "2")) == [3, 4]
    assert numbers(page("--last", "--lines", "2")) == [total - 1, total]
    assert numbers(page("--errors-only")) == []
    found = page("--search", "/es/ indexed")["lines"]
    assert isinstance(found, list)
    assert [line["url"] for line in found] == [f"{workbench.web.url}/es/"]
    assert set(found[0]) == {
        "number", "time", "level", "action", "line", "url", "status", "message", "bytes",
        "milliseconds",
    }  # fmt: skip
    assert whole["status"] == "published"
    assert isinstance(whole["summary"], dict)


def test_an_export_is_every_line_as_json(
    workbench: Workbench, run_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = call(capsys, "log", workbench.site, "--run", run_id, "--export").splitlines()
    assert [json.loads(line)["number"] for line in lines] == list(range(1, len(lines) + 1))


def test_a_run_without_a_log_names_the_newest(
    workbench: Workbench, run_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(UsageError) as refused:
        call(capsys, "log", workbench.site, "--run", "nothing")
    assert run_id in refused.value.hint


def test_a_site_that_never_ran_has_no_log(
    workbench: Workbench, run_id: str, capsys: pytest.CaptureFixture[str]
) -> None:
    twin = workbench.twin("idle")
    assert "No run" in call(capsys, "log", twin.site)
    answer = json.loads(call(capsys, "log", twin.site, "--format", "json"))
    assert answer == {"site": twin.site, "total": 0, "lines": []}
    assert call(capsys, "log", twin.site, "--export") == ""
    assert "No run" in call(capsys, "log", workbench.site, "--target", "staged")


@pytest.mark.parametrize(
    "words", [("--lines", "0"), ("--lines", "10001"), ("--from-line", "0"), ("--first", "--last")]
)
def test_a_page_that_cannot_be_is_wrong_usage(words: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        build_parser().parse_args(["log", "docs", *words])
