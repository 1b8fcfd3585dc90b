"""Changes of the site: what the n-th one does, and making the next one.

A change edits two pages, adds one news page or two, and withdraws one. What it does follows from
its number and its date alone, so the state needs to keep no more than dates.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from pathlib import Path
from typing import Any

from demo_site import script
from demo_site.catalogue import Catalogue, Page, catalogue, page_of, read_content
from demo_site.state import State, StateDirectory


@dataclass(frozen=True, slots=True)
class Change:
    """What one change did.

    URLs are whole and normalized; ``updated`` holds the edited pages and the news indexes whose
    lists changed; ``block_line`` is the line of the block's date line in the script, ``date`` its
    date (UTC, whole seconds).
    """

    number: int
    date: datetime
    block_line: int
    added: tuple[str, ...]
    updated: tuple[str, ...]
    deleted: tuple[str, ...]
    deleted_status: int

    def as_json(self) -> dict[str, Any]:
        """The change as a JSON object; the date in ISO 8601 with ``Z``."""
        return {
            "number": self.number,
            "date": self.date.strftime("%Y-%m-%dT%H:%M:%SZ"),
            "block_line": self.block_line,
            "added": list(self.added),
            "updated": list(self.updated),
            "deleted": list(self.deleted),
            "deleted_status": self.deleted_status,
        }


@dataclass(frozen=True, slots=True)
class Effects:
    """What a change does to the catalogue. ``indexes`` are the pages that list the news."""

    added: tuple[Page, ...]
    edited: tuple[Page, ...]
    indexes: tuple[str, ...]
    withdrawn: str
    status: int


def change(state_dir: Path, base_url: str, now: datetime) -> Change:
    """Make the next change and append the block that announces it to the index script.

    The pages change before the script does, so whoever reads the block finds them. The block is
    dated ``now``, or a second after the newest block that this function knows of, since a block
    that is not later than the one above it would be passed over (docs/spec/01-script-language.md,
    Which blocks are new). Raises StateUnusableError.
    """
    directory = StateDirectory(state_dir)
    directory.prepare(base_url)
    with directory.locked():
        state = directory.read()
        newest = state.changes[-1] if state.changes else script.FIRST_RUN
        date = max(now.astimezone(UTC).replace(microsecond=0), newest + timedelta(seconds=1))
        number = len(state.changes) + 1
        effects = effects_of(changed(catalogue(), state.changes), number, date)
        directory.write(State(state.base_url, (*state.changes, date)))
        text, _ = directory.read_script()
        text, line = script.with_block(
            text,
            f"Change {number}: a new notice, two pages revised, one withdrawn.",
            date,
            _commands(effects, state.base_url),
        )
        directory.write_script(text, date)
    return Change(
        number=number,
        date=date,
        block_line=line,
        added=tuple(base_url + page.path for page in effects.added),
        updated=tuple(
            base_url + path for path in (*(page.path for page in effects.edited), *effects.indexes)
        ),
        deleted=(base_url + effects.withdrawn,),
        deleted_status=effects.status,
    )


def reset(state_dir: Path) -> None:
    """Undo all changes: the next server start publishes the site anew."""
    StateDirectory(state_dir).reset()


def changed(site: Catalogue, dates: tuple[datetime, ...]) -> Catalogue:
    """The catalogue after the changes of these dates, in order."""
    for number, date in enumerate(dates, start=1):
        effects = effects_of(site, number, date)
        pages = {**site.pages, **{page.path: page for page in (*effects.added, *effects.edited)}}
        del pages[effects.withdrawn]
        gone = {**site.gone, effects.withdrawn: effects.status}
        site = replace(site, pages=pages, gone=gone)
    return site


def effects_of(site: Catalogue, number: int, date: datetime) -> Effects:
    """What change ``number`` (from 1) does to ``site``, which is as the changes before left it."""
    plan = _plan()
    languages = ["en", *(["es"] if number % 2 == 0 else [])]
    added = tuple(_news(plan["news"][language], language, number, date) for language in languages)
    first = (number - 1) * 2
    edits = plan["edits"]
    edited = tuple(
        _edited(site, edits[(first + offset) % len(edits)], number, date) for offset in (0, 1)
    )
    withdrawals = plan["withdrawals"]
    # When the old news are used up, the oldest notice of an earlier change goes.
    withdrawn = (
        withdrawals[number - 1]
        if number <= len(withdrawals)
        else _news_path(plan["news"]["en"], number - len(withdrawals))
    )
    return Effects(
        added=added,
        edited=edited,
        indexes=tuple(plan["news"][language]["index"] for language in languages),
        withdrawn=withdrawn,
        status=410 if number % 2 else 404,
    )


@lru_cache(maxsize=1)
def _plan() -> dict[str, Any]:
    return read_content("changes")


def _news_path(plan: dict[str, Any], number: int) -> str:
    return str(plan["path"].replace("NUMBER", str(number)))


def _news(plan: dict[str, Any], language: str, number: int, date: datetime) -> Page:
    stories = plan["stories"]
    story = stories[(number - 1) % len(stories)]
    fields = {
        "path": _news_path(plan, number),
        "section": "news",
        "title": story["title"].replace("NUMBER", str(number)),
        "description": story["description"],
        "body": story["body"].replace("NUMBER", str(number)),
        "date": date,
        "statement": "article:modified_time",
    }
    return page_of(language, fields)


def _edited(site: Catalogue, edit: dict[str, str], number: int, date: datetime) -> Page:
    page = site.pages[edit["path"]]
    # One notice a page: the newest takes the place of the one before.
    body = page.body.split('<p class="notice">')[0]
    notice = edit["notice"].replace("NUMBER", str(number))
    return replace(
        page,
        body=f'{body}<p class="notice">{notice}</p>\n',
        date=date,
        server_date=date,
    )


def _commands(effects: Effects, base_url: str) -> list[str]:
    return [
        f"delete {base_url}{effects.withdrawn}",
        *(f"add {base_url}{page.path} nofollow" for page in effects.added),
        # The index pages list the news: they changed too, and need no crawl of what they list.
        *(f"add {base_url}{path} nofollow" for path in effects.indexes),
        *(f"update {base_url}{page.path} nofollow" for page in effects.edited),
    ]
