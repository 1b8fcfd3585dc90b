"""The pages for site owners do what they say: every script, program and command on them is run.

A fence names its file: ``script NAME`` (linted; with ``(wrong)`` it must have errors), ``sh NAME``,
``python NAME``, ``yaml NAME``. ``console`` holds commands behind ``$`` and what they print, where
``...`` stands for anything. A page runs from top to bottom in a folder of its own, and
https://www.example.com/ is that folder on a web server.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"
APPENDING = DOCS / "guides" / "appending-blocks.md"
PAGES = [
    DOCS / "guides" / "first-index-script.md",
    APPENDING,
    DOCS / "guides" / "index-script-recipes.md",
    DOCS / "reference" / "index-script.md",
]
BIN = Path(sys.executable).parent
PUBLISHED = "https://www.example.com/indexlist.txt"

_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_COMMAND = re.compile(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", re.MULTILINE)


@dataclass(frozen=True)
class Fence:
    """One fenced piece of a page."""

    kind: str
    name: str
    is_wrong: bool
    text: str


def fences_of(page: Path) -> list[Fence]:
    found = []
    for head, text in _FENCE.findall(page.read_text()):
        kind, _, rest = head.partition(" ")
        found.append(Fence(kind, rest.removesuffix(" (wrong)"), rest.endswith(" (wrong)"), text))
    return found


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves a folder and says nothing."""

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the base class's
        """Keep quiet."""


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """The page's folder on a web server."""
    handler = functools.partial(QuietHandler, directory=str(tmp_path))
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}/indexlist.txt"
    server.shutdown()
    server.server_close()


def printed_by(command: str, folder: Path, served: str) -> str:
    """What a command prints, on either stream."""
    path = f"{BIN}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", command.replace(f"lint {PUBLISHED}", f"lint {served}")],
        cwd=folder,
        env={**os.environ, "PATH": path, "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.stdout.replace(served, PUBLISHED)


def is_as_shown(printed: str, shown: str) -> bool:
    """Whether what was printed is what a page shows."""
    pattern = ".*?".join(map(re.escape, shown.split("...")))
    return re.fullmatch(pattern, printed, re.DOTALL) is not None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_all_that_a_page_shows_happens(page: Path, tmp_path: Path, served: str) -> None:
    if page == APPENDING and shutil.which("flock") is None:
        pytest.skip("flock, which the page's shell program needs, is there on Linux only")
    for fence in fences_of(APPENDING):
        if fence.kind == "python":
            (tmp_path / fence.name).write_text(fence.text)
    for fence in fences_of(page):
        if fence.name:
            (tmp_path / fence.name).write_text(fence.text)
        if fence.kind == "script":
            found = printed_by(f"site-indexer lint {fence.name}", tmp_path, served)
            counts = found.splitlines()[-1]
            assert (", 0 errors" in counts) is not fence.is_wrong, found
            assert ", 0 warnings" in counts, found
        for command, shown in _COMMAND.findall(fence.text) if fence.kind == "console" else ():
            printed = printed_by(command, tmp_path, served)
            assert is_as_shown(printed, shown), f"$ {command}\n{printed}"


@pytest.mark.parametrize("program", ["sh append-block.sh", f"{sys.executable} append_block.py"])
def test_programs_that_append_at_once_lose_no_block_and_show_no_half(
    program: str, tmp_path: Path, served: str
) -> None:
    """Each call appends two lines, and whoever reads meanwhile finds them both or neither."""
    if shutil.which("flock") is None:
        pytest.skip("flock, which the page's shell program needs, is there on Linux only")
    for fence in fences_of(APPENDING):
        if fence.name:
            (tmp_path / fence.name).write_text(fence.text)
    script = tmp_path / "feed.txt"

    def append_and_read(number: int) -> None:
        command = f"{program} feed.txt 'add https://h/{number}' 'delete https://h/{number}/old'"
        assert printed_by(command, tmp_path, served) == ""
        words = [line.partition(" ")[0] for line in script.read_text().splitlines()]
        assert words == ["", "seconds", "add", "delete"] * (len(words) // 4)

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(append_and_read, range(8)))
    found = printed_by("site-indexer lint feed.txt", tmp_path, served)
    assert found == "feed.txt: 8 blocks, 16 commands, 0 errors, 0 warnings\n"
    assert [path.name for path in tmp_path.glob("feed.txt?*")] == ["feed.txt.lock"]


def test_every_fence_of_these_pages_is_run() -> None:
    kinds = {fence.kind for page in PAGES for fence in fences_of(page)}
    assert kinds == {"console", "script", "sh", "python", "yaml"}
    assert all(fence.name or fence.kind == "console" for page in PAGES for fence in fences_of(page))
