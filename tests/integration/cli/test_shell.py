"""The shell as people and programs call it (docs/spec/08-shell.md)."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from demo_site import expected
from site_indexer.indexing.run import run as run_site
from tests.integration.cli.shell_calls import SHELL, call_shell
from tests.integration.indexing.conftest import Workbench, workbench
from tests.integration.indexing.small_sites import adding, pages, script_of, serve

__all__ = ["workbench"]

Shell = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def shell(workbench: Workbench, opensearch_url: str) -> Shell:
    def call(*words: str, status: int = 0) -> subprocess.CompletedProcess[str]:
        return call_shell(
            *words,
            status=status,
            SITE_INDEXER_SITES=str(workbench.collaborators.sites_dir),
            SITE_INDEXER_OPENSEARCH_URL=opensearch_url,
        )

    return call


def parsed(done: subprocess.CompletedProcess[str]) -> Any:
    return json.loads(done.stdout)


def test_a_run_and_what_it_left_in_every_form(workbench: Workbench, shell: Shell) -> None:
    site = workbench.site
    assert shell("documents", site).stdout == ""
    dry = parsed(shell("run", site, "--dry-run", "--format", "json"))
    assert dry["status"] == "dry-run"
    assert shell("documents", site).stdout == ""

    result = parsed(shell("run", site, "--format", "json"))
    assert result["status"] == "published"
    assert result["alias"] == f"{site}.live"
    assert result["watermark_before"] is None
    assert result["watermark_after"] == "2025-09-22T06:30:00Z"
    assert {"fetched", "indexed", "unchanged", "removed", "excluded", "not_modified", "errors"} <= (
        result["counts"].keys()
    )

    lines = [json.loads(line) for line in shell("documents", site).stdout.splitlines()]
    urls = [line["url"] for line in lines]
    assert urls == sorted(urls)
    assert expected.after_run(workbench.web.url).problems(urls) == []
    assert set(lines[0]) == {"url", "title", "date", "content_digest", "tier"}
    some = shell("documents", site, "--mask", f"{workbench.web.url}/zh/").stdout.splitlines()
    assert 0 < len(some) < len(lines)

    found = parsed(shell("search", site, "lighthouse", "--size", "2", "--format", "json"))
    assert found["total"] > 2
    assert len(found["hits"]) == 2
    assert set(found["hits"][0]) == {"url", "title", "tier", "score", "highlights"}
    assert "documents match" in shell("search", site, "lighthouse").stdout

    generations = parsed(shell("generations", site, "--format", "json"))
    assert generations[0]["generation"] == result["generation"]
    assert generations[0]["current"] == ["live"]
    assert generations[0]["documents"] == len(lines)
    assert generations[0]["run_id"] == result["run_id"]
    assert result["generation"] in shell("generations", site).stdout

    again = parsed(shell("run", site, "--format", "json"))
    assert again["status"] == "unchanged"


def test_the_watermark_is_shown_set_and_cleared(workbench: Workbench, shell: Shell) -> None:
    site = workbench.site
    empty = {"site": site, "target": "live", "watermark": None}
    assert parsed(shell("watermark", site, "--format", "json")) == empty
    moment = "2020-01-02T03:04:05Z"
    done = shell("watermark", site, "set", moment, "--yes", "--format", "json")
    assert parsed(done) == {**empty, "watermark": moment}
    assert f"Set the watermark of {site}" in done.stderr
    refused = shell("watermark", site, "clear", status=1)
    assert "--yes" in refused.stderr
    assert parsed(shell("watermark", site, "clear", "--yes", "--format", "json")) == empty


def test_a_site_that_airflow_published_is_refused_and_its_dag_named(
    workbench: Workbench, shell: Shell
) -> None:
    request = replace(workbench.request(), run_id="manual__2026-11-30T12:00:00+00:00")
    run_site(workbench.collaborators, request)
    refused = shell("run", workbench.site, "--format", "json", status=2)
    assert f"{workbench.site}_script" in parsed(refused)["error"]["hint"]
    shell("run", workbench.site, "--standalone")


def test_what_goes_wrong_is_a_document_and_an_exit_status(
    workbench: Workbench, shell: Shell
) -> None:
    site = workbench.site
    missing = parsed(shell("run", "nowhere", "--format", "json", status=2))["error"]
    assert missing["code"] == "site-file"
    wrong = parsed(shell("run", site, "--target", "moon", "--format", "json", status=2))["error"]
    assert wrong["code"] == "usage"
    half = shell("run", site, "--from", "2020-01-01", "--format", "json", status=2)
    assert "--to" in parsed(half)["error"]["hint"]
    workbench.use_script("date Mon, 30 Nov 2026 11:00:00 GMT", "ad {web}/", "add x")
    done = shell("run", site, "--format", "json", status=1)
    failed = parsed(done)["error"]
    assert "line 2" in failed["message"]
    assert [found["line"] for found in failed["diagnostics"]] == [2, 3]
    assert [done.stderr.count(f":{line}:") for line in (2, 3)] == [1, 1]
    down = ("run", site, "--opensearch", "http://127.0.0.1:1", "--format", "json")
    assert parsed(shell(*down, status=3))["error"]["code"] == "opensearch-unreachable"


def test_sites_are_listed_shown_validated(workbench: Workbench, shell: Shell) -> None:
    site = workbench.site
    assert [row["id"] for row in parsed(shell("sites", "list", "--format", "json"))] == [site]
    assert parsed(shell("sites", "show", site, "--format", "json"))["crawl"]["robots"] == "obey"
    assert "valid" in shell("sites", "validate").stdout
    assert parsed(shell("sites", "schema"))["additionalProperties"] is False
    broken = workbench.collaborators.sites_dir / "broken.yaml"
    broken.write_text("id: broken\nname: B\nowner: o\nscript: {url: 'http://h/s'}\nscedule: {}\n")
    assert "did you mean 'schedule'" in shell("sites", "validate", status=2).stdout
    broken.write_text("id: broken\nname: B\nownr: o\nscript: {url: 'http://h/s'}\n")
    assert f"{broken} has 2 errors." in shell("sites", "list").stdout
    assert shell("sites", "validate", str(broken), status=2).stdout == (
        f"{broken} has 2 errors.\n"
        "line 1: owner: Field required\n"
        "line 3: ownr: unknown field; did you mean 'owner'?\n"
    )


def test_help_imports_no_airflow_and_nothing_heavy() -> None:
    program = (
        "import sys\nfrom site_indexer.cli import main\n"
        "try:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "heavy = {'airflow', 'opensearchpy', 'lxml', 'pycurl', 'requests', 'pydantic', 're2'}\n"
        "sys.exit(','.join(heavy & sys.modules.keys()) or 0)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "lint" in done.stdout


def test_a_terminal_sees_a_progress_bar_and_programs_still_get_one_document(
    workbench: Workbench, opensearch_url: str, tmp_path: Path
) -> None:
    words = ["run", workbench.site, "--format", "json", "--opensearch", opensearch_url]
    sites = ["--sites", str(workbench.collaborators.sites_dir)]
    terminal, end = pty.openpty()
    with (tmp_path / "stdout").open("wb") as stdout:
        environment = {**os.environ, "TERM": "xterm"}
        process = subprocess.Popen(
            [SHELL, *words, *sites], stdout=stdout, stderr=end, env=environment
        )
    os.close(end)
    shown = b""
    # Linux answers a read of a terminal whose other end is closed with an error.
    with contextlib.suppress(OSError):
        while chunk := os.read(terminal, 65536):
            shown += chunk
    os.close(terminal)
    assert process.wait() == 0
    assert json.loads((tmp_path / "stdout").read_text())["status"] == "published"
    assert f"Crawling {workbench.site}".encode() in shown
    assert b"pages" in shown


@pytest.mark.parametrize(
    "words",
    [
        ("lint", "-", "--now", "0001-01-01T00:00:00+14:00"),
        ("plan", "-", "--now", "9999-12-31T23:59:59Z"),
        ("plan", "-", "--watermark", "9999-12-31T23:59:59-14:00"),
        ("search", "docs", os.fsdecode(b"\xff")),
        ("demo-site", "serve", "--port", "65536"),
        ("opensearch", "start", "--port", "-1"),
    ],
)
def test_options_that_mean_nothing_are_wrong_usage(words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [SHELL, *words, "--format", "json"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert parsed(done)["error"]["code"] == "usage"


def test_a_change_that_nobody_confirms_is_an_error_document(
    workbench: Workbench, shell: Shell
) -> None:
    refused = shell("watermark", workbench.site, "clear", "--format", "json", status=1)
    assert parsed(refused)["error"]["code"] == "not-confirmed"


@pytest.mark.parametrize("on_error", ["skip_line", "skip_block"])
def test_a_run_that_left_something_out_for_its_errors_says_so_by_its_status(
    workbench: Workbench, shell: Shell, on_error: str
) -> None:
    site = workbench.site
    workbench.fields["reading"] = {"on_error": on_error}
    workbench.write_file()
    serve(workbench, range(3))
    workbench.use_script(*script_of(adding([0]), [*adding([1]), "ad {web}/p/2"]))
    result = parsed(shell("run", site, "--format", "json", status=1))
    assert result["status"] == "published"
    (found,) = result["diagnostics"]
    assert (found["severity"], found["code"], found["line"]) == ("error", "unknown-command", 6)
    assert pages(workbench) == ({0, 1} if on_error == "skip_line" else {0})
    # Once it is behind the watermark it is no error of a run any more.
    assert parsed(shell("run", site, "--format", "json"))["diagnostics"] == []

    workbench.use_script(*script_of(adding([0]), [], ["ad {web}/p/2"]))
    words = shell("run", site, status=1).stdout
    assert "error: " in words


def test_of_many_errors_the_first_are_told(workbench: Workbench, shell: Shell) -> None:
    workbench.fields["reading"] = {"on_error": "skip_line"}
    workbench.write_file()
    serve(workbench, range(1))
    workbench.use_script(*script_of([*adding([0]), *["ad {web}/p/2"] * 120]))
    told = parsed(shell("run", workbench.site, "--format", "json", status=1))["diagnostics"]
    assert len(told) == 101
    assert told[-1]["message"].startswith("20 more errors")
    assert "line 3: " in shell("run", workbench.site, "--clear-date", status=1).stdout
