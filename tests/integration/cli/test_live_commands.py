"""Approval, push live, roll back, hold, drop staged at the shell (docs/spec/08-shell.md, 8.6)."""

from __future__ import annotations

from dataclasses import replace

from site_indexer.indexing.run import run as run_site
from tests.integration.cli.test_shell import Shell, parsed, shell, workbench
from tests.integration.indexing.conftest import Workbench
from tests.integration.indexing.small_sites import adding, pages, script_of, serve

__all__ = ["shell", "workbench"]

BLOCKS = (adding(range(6)), adding([6]), ["deletemask {web}/p/"])


def with_blocks(workbench: Workbench, count: int) -> None:
    serve(workbench, range(7))
    workbench.use_script(*script_of(*BLOCKS[:count]))


def test_a_run_that_would_empty_a_site_waits_and_a_later_call_answers(
    workbench: Workbench, shell: Shell
) -> None:
    site = workbench.site
    with_blocks(workbench, 2)
    shell("run", site)
    with_blocks(workbench, 3)
    waiting = parsed(shell("run", site, "--format", "json", status=1))
    assert waiting["status"] == "waiting-for-approval"
    assert waiting["counts"]["to_remove"] == 7
    assert waiting["watermark_after"] == waiting["watermark_before"]
    first = waiting["run_id"]
    asked = parsed(shell("log", site, "--run", first, "--format", "json"))
    assert asked["status"] == "waiting-for-approval"
    words = shell("run", site, status=1).stdout
    assert waiting["run_id"] in words
    assert "asks whether 7 documents may go" in words
    rejected = parsed(shell("run", site, "--reject-removals", "--format", "json", status=1))
    assert (rejected["status"], rejected["run_id"]) == ("failed", first)
    told = parsed(shell("log", site, "--run", first, "--format", "json"))
    assert told["status"] == "failed"
    assert any("rejected by" in line["message"] for line in told["lines"])
    assert len(pages(workbench)) == 7
    again = parsed(shell("run", site, "--format", "json", status=1))["error"]
    assert again["code"] == "removals-not-approved"
    done = parsed(shell("run", site, "--accept-removals", "--format", "json"))
    assert (done["status"], done["counts"]["removed"]) == ("published", 7)
    assert pages(workbench) == set()


def test_staged_pushed_rolled_back_and_released(workbench: Workbench, shell: Shell) -> None:
    site = workbench.site
    with_blocks(workbench, 1)
    first = parsed(shell("run", site, "--format", "json"))["generation"]
    with_blocks(workbench, 2)
    staged = parsed(shell("run", site, "--target", "staged", "--format", "json"))["generation"]
    refused = shell("push-live", site, status=1)
    assert f"Push {staged} live in place of {first}" in refused.stderr
    assert "--yes" in refused.stderr
    pushed = parsed(shell("push-live", site, "--yes", "--format", "json"))
    assert (pushed["generation"], pushed["replaced"]) == (staged, first)
    assert pages(workbench) == set(range(7))
    assert "Nothing is staged" in shell("push-live", site, "--yes", status=2).stderr

    back = parsed(shell("rollback", site, "--yes", "--format", "json"))
    assert (back["generation"], back["held"]) == (first, True)
    told = parsed(shell("log", site, "--format", "json"))
    assert (told["kind"], told["target"], told["status"]) == ("rollback", "live", "done")
    assert any(f"shows {first} again" in line["message"] for line in told["lines"])
    assert parsed(shell("run", site, "--format", "json"))["status"] == "held"
    assert "rolled back" in parsed(shell("hold", site, "--format", "json"))["reason"]
    released = parsed(shell("hold", site, "release", "--yes", "--format", "json"))
    assert released == {"site": site, "held": False, "watermark": "2026-01-01T10:00:00Z"}
    assert parsed(shell("run", site, "--format", "json"))["status"] == "published"
    assert pages(workbench) == set(range(7))
    shell("hold", site, "release", "--yes", status=1)
    assert parsed(shell("hold", site, "set", "--yes", "--format", "json"))["held"] is True


def test_what_would_lose_much_is_refused_until_it_is_accepted(
    workbench: Workbench, shell: Shell
) -> None:
    site = workbench.site
    with_blocks(workbench, 1)
    shell("run", site)
    refused = parsed(shell("rollback", site, "--yes", "--format", "json", status=1))["error"]
    assert refused["code"] == "removals-not-approved"
    assert "6 of 6 documents" in refused["message"]
    shell("rollback", site, "--accept-removals", "--yes")
    assert pages(workbench) == set()


def test_dropped_and_retried(workbench: Workbench, shell: Shell) -> None:
    site = workbench.site
    with_blocks(workbench, 1)
    serve(workbench, [3], status=500)
    shell("run", site)
    [waiting] = parsed(shell("retry-list", site, "--format", "json"))
    assert waiting["url"] == f"{workbench.web.url}/p/3"
    assert (waiting["failure"], waiting["tries"], waiting["line"]) == ("server-error", 1, 5)
    assert "/p/3" in shell("retry-list", site).stdout
    shell("run", site, "--target", "staged")
    dropped = parsed(shell("drop-staged", site, "--yes", "--format", "json"))
    assert dropped["dropped"].startswith(f"{site}.g-")


def test_they_too_refuse_a_site_that_airflow_published(workbench: Workbench, shell: Shell) -> None:
    with_blocks(workbench, 1)
    run_site(workbench.collaborators, replace(workbench.request(), run_id="manual__1"))
    site, staged = workbench.site, ("--target", "staged")
    for dag, command in (
        (f"{site}_script", ("run", site)),
        (f"{site}_script", ("run", site, *staged)),
        ("site_indexer_push_live", ("push-live", site, "--yes")),
        ("site_indexer_roll_back", ("rollback", site, "--yes")),
        ("site_indexer_drop_staged", ("drop-staged", site, "--yes")),
        ("site_indexer_watermark", ("watermark", site, "clear", "--yes")),
        ("site_indexer_watermark", ("watermark", site, "clear", "--yes", *staged)),
        ("site_indexer_hold", ("hold", site, "release", "--yes")),
    ):
        hint = parsed(shell(*command, "--format", "json", status=2))["error"]["hint"]
        assert "--standalone" in hint
        assert f" {dag} " in hint
    shell("run", site, *staged, "--standalone")
