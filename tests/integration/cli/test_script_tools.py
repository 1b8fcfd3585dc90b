"""``lint``, ``plan``, ``match``, ``normalize``, ``append-block`` as people and programs call them.

Real processes, and a real web server where FILE is a URL (docs/spec/08-shell.md).
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import json
import os
import pty
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.integration.cli.shell_calls import SHELL, Done, call_shell

NOW = "2026-11-30T12:00:00Z"
LIMIT = 64 * 2**20

SCRIPT = """\
# What changed
date Sun, 06 Nov 1994 08:49:37 GMT
add https://www.example.com/photos/ nofollow
exclude *.zip
delete https://www.example.com/old.html https://www.example.com/older.html

date Mon, 07 Nov 1994 10:00:00 GMT
exclude-date 2020-01-01 */archive/*
include https://www.example.com/docs/ noindex
update regexp ^https://www\\.example\\.com/news/[[:digit:]]+
"""
BROKEN = SCRIPT.replace("nofollow", "nofolow").replace("exclude *.zip", "exclude\tzip")
SITE = """\
id: docs
name: Documentation
owner: team@example.com
script: {url: https://www.example.com/indexlist.txt}
entry_points: [https://www.example.com/]
masks: [exclude *.tmp]
"""


def shell(*words: str | Path, given: str | bytes = "", **options: Any) -> Done:
    """Call the shell at noon of 30 November 2026."""
    read = given.encode() if isinstance(given, str) else given
    return call_shell(*words, "--now", NOW, given=read, **options)


def answer(*words: str | Path, **options: Any) -> Any:
    """Call the shell for JSON; standard output is one document and nothing else."""
    return json.loads(shell(*words, "--format", "json", **options).stdout)


def at_once(*calls: Any) -> None:
    """Run independent calls side by side."""
    with ThreadPoolExecutor(2) as threads:
        for future in [threads.submit(call) for call in calls]:
            future.result()


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "indexlist.txt"
    path.write_text(SCRIPT)
    return path


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    path = tmp_path / "broken.txt"
    path.write_text(BROKEN)
    return path


@pytest.fixture(scope="module")
def web() -> Iterator[str]:
    """A web server that publishes one script, and does wrong at other paths."""
    old = {"Last-Modified": "Sun, 06 Nov 1994 08:49:37 GMT"}
    answers: dict[str, tuple[int, dict[str, str], bytes]] = {
        "/indexlist.txt": (200, old, SCRIPT.encode()),
        "/page.txt": (200, old, b"<!doctype html><title>Not found</title>\n"),
        "/empty.txt": (200, old, b" \n\n"),
        "/large.txt": (200, old, b"# " * (LIMIT // 2 + 1)),
    }

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, headers, body = answers.get(self.path, (404, {}, b"no such file\n"))
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            with contextlib.suppress(ConnectionError):  # who has read enough hangs up
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002
            """Keep quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


# --- FILE: a path, a URL, or standard input


def test_a_script_is_read_from_a_path_a_url_or_standard_input(script: Path, web: str) -> None:
    documents = [
        answer("lint", script),
        answer("lint", f"{web.replace('http', 'HTTP')}/indexlist.txt"),
        answer("lint", "-", given=SCRIPT),
    ]
    assert [document.pop("source") for document in documents] == [
        str(script),
        f"{web.replace('http', 'HTTP')}/indexlist.txt",
        "<stdin>",
    ]
    assert documents[0] == documents[1] == documents[2]
    assert documents[0]["encoding"] == "utf-8"
    assert documents[0]["diagnostics"] == []
    assert [block["line"] for block in documents[0]["blocks"]] == [2, 7]
    for command in ("plan", "match"):
        more = ["https://www.example.com/"] if command == "match" else []
        assert answer(command, f"{web}/indexlist.txt", *more) == answer(command, script, *more)


@pytest.mark.parametrize(
    ("path", "status", "code"),
    [
        ("/page.txt", 1, "html-instead-of-script"),
        ("/empty.txt", 1, "empty-script"),
        ("/large.txt", 1, "script-too-large"),
        ("/nowhere.txt", 3, "script-unreachable"),
    ],
)
def test_a_url_that_gives_no_script_is_an_error_document(
    web: str, path: str, status: int, code: str
) -> None:
    error = answer("lint", web + path, status=status)["error"]
    assert error["code"] == code
    assert web + path in error["message"]
    assert error["hint"]


def test_a_server_that_does_not_answer_cannot_be_reached() -> None:
    url = "http://127.0.0.1:1/indexlist.txt"
    for words in (("lint", url), ("plan", url), ("match", url, "https://h/")):
        assert answer(*words, status=3)["error"]["code"] == "script-unreachable"


@pytest.mark.parametrize("command", ["lint", "plan", "match"])
def test_a_file_that_is_no_script_is_an_error_document(tmp_path: Path, command: str) -> None:
    more = ["https://h/"] if command == "match" else []
    large = tmp_path / "large.txt"
    with large.open("wb") as file:
        file.truncate(LIMIT + 1)
    page = "<html><body>\nadd https://h/\n"
    at_once(
        lambda: wrong([command, "-", *more], "empty-script", given="\ufeff \t\r\n"),
        lambda: wrong([command, "-", *more], "html-instead-of-script", given=page),
        lambda: wrong([command, large, *more], "script-too-large"),
        lambda: wrong([command, tmp_path / "none.txt", *more], "usage", status=2),
        lambda: wrong([command, tmp_path, *more], "usage", status=2),
        lambda: wrong([command, "nul\0byte".replace("\0", "/../\udcff"), *more], "usage", status=2),
    )


def wrong(words: Sequence[str | Path], code: str, *, status: int = 1, given: str = "") -> None:
    error = answer(*words, status=status, given=given)["error"]
    assert (error["code"], bool(error["message"]), bool(error["hint"])) == (code, True, True)


def test_a_failure_as_text_stands_on_standard_error(tmp_path: Path) -> None:
    done = shell("lint", tmp_path / "none.txt", status=2)
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert "none.txt: cannot be read: No such file or directory." in done.stderr
    assert "Give a file, an http(s) URL, or -" in done.stderr


# --- lint


def test_lint_shows_each_mistake_with_a_caret_under_its_column(broken: Path) -> None:
    done = shell("lint", broken, status=1)
    assert done.stderr == ""
    assert done.stdout == (
        f"{broken}:3:37: error: `nofolow` is not a keyword. [unknown-keyword]\n"
        "    add https://www.example.com/photos/ nofolow\n"
        "                                        ^\n"
        "    The nearest known word is `nofollow`.\n"
        f"{broken}:4:9: error: 'zip' does not start with http:// or https://, so no URL starts with"
        " it. Write the scheme, or put a * before what may stand anywhere in the URL."
        " [bad-prefix-mask]\n"
        "    exclude\tzip\n"
        "           \t^\n"
        "    Write: exclude MASK\n"
        f"{broken}: 2 blocks, 4 commands, 2 errors, 0 warnings\n"
    )


def test_lint_as_json_gives_every_diagnostic_in_full(broken: Path) -> None:
    document = answer("lint", broken, status=1)
    assert set(document) == {"source", "encoding", "blocks", "diagnostics"}
    assert document["diagnostics"][0] == {
        "severity": "error",
        "code": "unknown-keyword",
        "line": 3,
        "column": 37,
        "message": "`nofolow` is not a keyword.",
        "hint": "The nearest known word is `nofollow`.",
        "text": "add https://www.example.com/photos/ nofolow",
    }
    assert document["blocks"][1]["commands"][0] == {
        "line": 8,
        "action": "exclude-date",
        "mask": "*/archive/*",
        "mask_kind": "wildcard",
        "date": "2020-01-01",
        "server_date": False,
    }


def test_warnings_alone_are_no_failure() -> None:
    document = answer("lint", "-", given="date Mon, 06 Nov 1994 08:49:37 GMT\nadd https://h/\n")
    assert [found["code"] for found in document["diagnostics"]] == ["wrong-weekday"]
    assert document["blocks"][0]["date"] == "1994-11-06T08:49:37Z"
    latin = answer("lint", "-", given="seconds 1\nadd https://h/caf\xe9\n".encode("latin-1"))
    assert latin["encoding"] == "latin-1"
    assert latin["blocks"][0]["commands"][0]["urls"] == ["https://h/caf\xe9"]


def test_colour_is_for_terminals(broken: Path) -> None:
    def on_terminal(**environment: str) -> str:
        ours, theirs = pty.openpty()
        subprocess.run(
            [SHELL, "lint", broken, "--now", NOW],
            stdout=theirs,
            env={**os.environ, "TERM": "xterm", **environment},
            check=False,
        )
        os.close(theirs)
        with os.fdopen(ours, "rb", buffering=0) as terminal:
            return terminal.read(60_000).decode()

    assert "\x1b[1;31merror\x1b[0m" in on_terminal()
    assert "\x1b" not in on_terminal(NO_COLOR="1")
    assert "\x1b" not in on_terminal(TERM="dumb")
    assert "\x1b" not in shell("lint", broken, status=1).stdout


def test_json_is_utf_8_whatever_the_locale() -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    text = "seconds 1\nadd https://h/中\n"
    document = answer("lint", "-", given=text, **plain)
    assert document["blocks"][0]["commands"][0]["urls"] == ["https://h/中"]
    assert "\\u4e2d" in shell("lint", "-", given="seconds 1\nadd 中\n", status=1, **plain).stdout


# --- plan


def test_a_plan_says_what_is_done_in_which_order_and_what_is_not(script: Path) -> None:
    plan = answer("plan", script, "--watermark", "1994-11-06T08:49:37Z")
    assert plan["watermark_before"] == "1994-11-06T08:49:37Z"
    assert plan["watermark_after"] == "1994-11-07T10:00:00Z"
    assert plan["selected"] == [{"line": 7, "date": "1994-11-07T10:00:00Z"}]
    assert plan["skipped"] == [
        {"line": 2, "date": "1994-11-06T08:49:37Z", "reason": "behind-watermark"}
    ]
    assert plan["action_types"] == ["update"]
    assert plan["steps"] == [
        {
            "action": "update",
            "commands": [
                {
                    "line": 10,
                    "block_line": 7,
                    "mask": "^https://www\\.example\\.com/news/[[:digit:]]+",
                    "mask_kind": "regexp",
                    "nofollow": False,
                    "noindex": False,
                }
            ],
        }
    ]
    both = answer("plan", script)
    assert both["watermark_before"] is None
    assert both["action_types"] == ["delete", "add", "update"]
    assert (both["dropped"], both["diagnostics"]) == ([], [])
    window = answer("plan", script, "--from", "1994-11-06", "--to", "1994-11-07")
    assert [block["line"] for block in window["selected"]] == [2]
    assert window["skipped"][0]["reason"] == "outside-window"
    assert window["watermark_after"] is None


def test_a_plan_as_text_is_a_table(script: Path) -> None:
    lines = shell("plan", script).stdout.splitlines()
    assert lines[0] == "Blocks to process: 2. Commands: 4."
    assert lines[1] == "Watermark: none -> 1994-11-07T10:00:00Z"
    assert lines[2].split() == ["action", "line", "block", "URL", "or", "mask", "flags"]
    assert "add     line 3   1994-11-06T08:49:37Z  https://www.example.com/photos/" in lines[5]
    assert lines[5].endswith("nofollow")
    dropped = shell(
        "plan", "-", given="seconds 1\nadd https://h/a\n\nseconds 2\ndeletemask https://h/\n"
    ).stdout
    assert "Dropped, as they can have no effect:" in dropped
    assert "undone by line 5" in dropped


def test_an_error_in_a_new_block_ends_a_plan_and_one_in_an_old_block_does_not(
    broken: Path,
) -> None:
    plan = answer("plan", broken, status=1)
    assert (plan["selected"], plan["steps"], plan["watermark_after"]) == ([], [], None)
    assert {block["reason"] for block in plan["skipped"]} == {"error"}
    text = shell("plan", broken, status=1).stdout
    assert "A new block has an error: nothing is processed." in text
    behind = answer("plan", broken, "--watermark", "1994-11-06T08:49:37Z")
    assert {found["severity"] for found in behind["diagnostics"]} == {"warning"}
    assert [block["line"] for block in behind["selected"]] == [7]


def test_with_a_site_its_hosts_and_masks_count(script: Path, tmp_path: Path) -> None:
    (tmp_path / "docs.yaml").write_text(SITE)
    sites = ("--sites", tmp_path, "--site", "docs")
    assert answer("plan", script, *sites)["site"] == "docs"
    script.write_text(SCRIPT.replace("add https://www.example.com", "add https://other.example"))
    foreign = answer("plan", script, *sites, status=1)["diagnostics"]
    assert [(found["code"], found["line"], found["column"]) for found in foreign] == [
        ("foreign-host", 3, 5)
    ]
    unknown = answer("plan", script, "--sites", tmp_path, "--site", "dosc", status=2)["error"]
    assert unknown["code"] == "site-file"
    assert "Did you mean 'docs'" in unknown["hint"]


# --- match


def test_match_says_which_rule_decides(script: Path) -> None:
    urls = ["HTTPS://www.example.com/photos/a", "https://h/a.zip", "https://h/"]
    found = answer("match", script, *urls, "--block", "2")
    assert found[0] == {
        "url": "HTTPS://www.example.com/photos/a",
        "normalized": "https://www.example.com/photos/a",
        "decision": "include",
        "line": 3,
        "rule": "add https://www.example.com/photos/",
        "origin": "add",
        "nofollow": False,
        "noindex": False,
        "date_dependent": False,
        "on_site": None,
        "error": None,
    }
    assert [(each["decision"], each["line"], each["origin"]) for each in found[1:]] == [
        ("exclude", 4, "script"),
        ("no-match", None, None),
    ]


def test_match_asks_the_newest_block_and_the_dates_given(script: Path) -> None:
    url = "https://www.example.com/docs/archive/1"
    (without,) = answer("match", script, url)
    assert (without["line"], without["noindex"], without["date_dependent"]) == (9, True, True)
    (dated,) = answer("match", script, "--date", "2020-01-01T23:00:00Z", url)
    assert (dated["decision"], dated["line"]) == ("exclude", 8)
    (server,) = answer("match", script, url, "--server-date", "2020-01-02")
    assert (server["decision"], server["line"]) == ("include", 9)
    lines = shell("match", script, url, "https://h/", "--date", "2020-01-01").stdout.splitlines()
    assert lines == [
        "Block of line 7",
        f"exclude   {url}",
        "          line 8, script: exclude-date 2020-01-01 */archive/*",
        "          a date rule was asked: own date 2020-01-01T00:00:00Z, server's date none",
        "no-match  https://h/",
        "          no rule matches, so it is left out",
    ]


def test_match_with_a_site_asks_its_masks_and_entry_points(script: Path, tmp_path: Path) -> None:
    (tmp_path / "docs.yaml").write_text(SITE)
    host = "https://www.example.com"
    urls = [f"{host}/a.tmp", f"{host}/a", "https://other.example/a"]
    found = answer("match", script, *urls, "--sites", tmp_path, "--site", "docs")
    assert [(each["decision"], each["origin"], each["on_site"]) for each in found] == [
        ("exclude", "site", True),
        ("include", "entry-point", True),
        ("no-match", None, False),
    ]


def test_what_match_cannot_answer(script: Path, broken: Path) -> None:
    bad = answer("match", script, "ftp://h/", "https://h/", status=1)
    assert [(each["normalized"], each["decision"]) for each in bad] == [
        (None, None),
        ("https://h/", "no-match"),
    ]
    assert "no http or https URL" in bad[0]["error"]
    line = answer("match", script, "--block", "3", "https://h/", status=2)["error"]
    assert "line 3" in line["message"]
    assert "above is 2" in line["message"]
    error = answer("match", broken, "https://h/", status=1)["error"]
    assert error["code"] == "script-errors"
    assert [found["line"] for found in error["diagnostics"]] == [3, 4]
    assert "line 3, column 37" in shell("match", broken, "https://h/", status=1).stderr
    none = answer("match", "-", "https://h/", given="# nothing yet\n", status=1)["error"]
    assert "has no block" in none["message"]


# --- normalize


def test_normalize_gives_the_stored_form_and_the_document_id() -> None:
    found = answer(
        "normalize", "HTTP://Example.com:80/%7ea/../b c?#x", "ftp://x", "\udcff", status=1
    )
    assert found[0] == {
        "url": "HTTP://Example.com:80/%7ea/../b c?#x",
        "normalized": "http://example.com/b%20c",
        "document_id": hashlib.sha256(b"http://example.com/b%20c").hexdigest()[:32],
        "error": None,
    }
    assert [each["normalized"] for each in found[1:]] == [None, None]
    assert "http://h/" in shell("normalize", "http://h").stdout


# --- append-block


def test_a_block_is_appended_valid_dated_now_and_processed_next(script: Path) -> None:
    done = answer("append-block", script, "add https://h/a nofollow", "update *.pdf")
    assert done == {
        "file": str(script),
        "line": 12,
        "date": NOW,
        "text": "date Mon, 30 Nov 2026 12:00:00 GMT\nadd https://h/a nofollow\nupdate *.pdf\n",
        "notes": [],
    }
    assert script.read_text() == f"{SCRIPT}\n{done['text']}"
    plan = answer("plan", script, "--watermark", "1994-11-07T10:00:00Z")
    assert plan["selected"] == [{"line": 12, "date": NOW}]
    assert plan["diagnostics"] == []


def test_words_that_are_not_quoted_make_the_same_block(tmp_path: Path) -> None:
    file = tmp_path / "new.txt"
    words = "exclude-days 7 *.zip delete https://h/a https://h/b update regexp add noindex"
    text = shell("append-block", file, *words.split()).stdout
    assert "its date line is line 1" in text
    assert file.read_text().splitlines()[1:] == [
        "exclude-days 7 *.zip",
        "delete https://h/a https://h/b",
        "update regexp add noindex",
    ]
    shell("append-block", file, "-", given="add https://h/c\n\nadd https://h/d\n")
    assert file.read_text().splitlines()[4:] == [
        "",
        "date Mon, 30 Nov 2026 12:00:01 GMT",
        "add https://h/c",
        "add https://h/d",
    ]


def test_blocks_of_one_moment_are_all_processed(script: Path) -> None:
    """A block as old as the one above it is skipped, so each is dated after all others."""
    with ThreadPoolExecutor(8) as threads:
        list(
            threads.map(
                lambda number: shell("append-block", script, f"add https://h/{number}"), range(8)
            )
        )
    plan = answer("plan", script, "--watermark", "1994-11-07T10:00:00Z")
    added = {command["url"] for command in plan["steps"][0]["commands"]}
    assert added == {f"https://h/{number}" for number in range(8)}
    assert plan["watermark_after"] == "2026-11-30T12:00:07Z"


def test_what_is_no_block_is_refused_and_the_file_stays(script: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.txt"
    wrong(["append-block", new, "ad https://h/"], "script")
    wrong(["append-block", new, "add https://h/\n\nadd https://h/"], "script")
    wrong(["append-block", new, "add \udcff"], "usage", status=2)
    assert not new.exists()
    wrong(["append-block", script, "add not-a-url"], "script")
    assert script.read_text() == SCRIPT
    wrong(["append-block", tmp_path / "no" / "folder.txt", "add https://h/"], "usage", status=2)
    wrong(["append-block", "-", "add https://h/"], "usage", status=2)
    wrong(["append-block", "http://h/indexlist.txt", "add https://h/"], "usage", status=2)
    page = tmp_path / "page.txt"
    page.write_text("<html>")
    wrong(["append-block", page, "add https://h/"], "html-instead-of-script")
    assert page.read_text() == "<html>"


def test_a_block_of_the_far_future_must_be_mended_first(script: Path) -> None:
    ahead = f"{SCRIPT}\nseconds 2222222222\n"
    script.write_text(ahead)
    error = answer("append-block", script, "add https://h/", status=1)["error"]
    assert "block of line 12" in error["message"]
    assert "more than a day ahead" in error["message"]
    assert script.read_text() == ahead


def test_errors_that_are_there_already_are_said(broken: Path) -> None:
    notes = answer("append-block", broken, "add https://h/")["notes"]
    assert ["2 errors" in note for note in notes] == [True]
    assert "note: The file has 2 errors" in shell("append-block", broken, "add https://h/").stdout


# --- usage


def test_wrong_usage_is_an_error_document_too(script: Path) -> None:
    calls: list[tuple[list[str | Path], str]] = [
        (["lint"], "FILE"),
        (["lint", script, "--nope"], "--nope"),
        (["match", script], "URL"),
        (["append-block", script], "COMMAND"),
        (["plan", script, "--watermark", "yesterday"], "ISO 8601"),
        (["plan", script, "--from", "2020-01-01"], "both ends"),
        (["plan", script, "--from", "2020-01-02", "--to", "2020-01-02"], "ends after it begins"),
    ]

    def check(words: list[str | Path], says: str) -> None:
        error = answer(*words, status=2)["error"]
        assert error["code"] == "usage"
        assert says in error["message"]

    at_once(*(functools.partial(check, *call) for call in calls))


def heed_interrupts() -> None:
    signal.signal(signal.SIGINT, signal.SIG_DFL)


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_with_an_error_document(sent: signal.Signals, status: int) -> None:
    process = subprocess.Popen(
        [SHELL, "lint", "-", "--format", "json", "--verbose"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # What runs in the background of a shell starts with Ctrl-C ignored; these tests may.
        preexec_fn=heed_interrupts,  # noqa: PLW1509 - it only sets a signal
    )
    assert process.stdin is not None
    # More than a pipe holds: once it is written, the process reads, and Ctrl-C finds it there.
    process.stdin.write(b"# " + b"x" * 2**20)
    process.stdin.flush()
    process.send_signal(sent)
    out, _ = process.communicate(timeout=20)
    assert process.returncode == status
    assert json.loads(out)["error"]["code"] == "interrupted"
