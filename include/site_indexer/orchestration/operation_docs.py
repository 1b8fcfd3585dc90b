"""What the Airflow UI says about the operation Dags, for whoever triggers one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class OperationDocs:
    """A Dag's line in lists, its documentation, and that of each task."""

    description: str
    text: str
    tasks: Mapping[str, str]


APPROVE = (
    "Passes at once where the brake does not trip. Else it waits for an answer under *Required "
    "Actions*: how many documents searchers would lose, with examples. While it waits, script runs "
    "of live skip. Red: rejected, or nobody answered within the site's `answer_within`; nothing "
    "has changed."
)

OPERATIONS: Mapping[str, OperationDocs] = {
    "push_live": OperationDocs(
        "Push live: searchers see the staged index of a site",
        """\
### Push live

**What.** Searchers see the staged index in place of live's, from one moment to the next. Live takes
its watermark, its removals and its retry list; nothing is staged then. The generation that live
showed stays, for a roll back.

**When.** By hand, once the staged index is as it should be.

**Options** (*Trigger*). *Site*. *Force*: push although live has published since the staged index
began; what live has gained is lost, and the task `look` lists it.

**When it fails**, nothing has changed. `look`: nothing is staged, or live has gained something: run
the staged index again, then push. `approve`: somebody said no. `push_live`: a run published at the
same moment; clear `look` with downstream.
""",
        {
            "look": (
                "Says what will be done: which generation, which watermark, how many blocks will "
                "run again, what live has gained since, how many documents searchers would lose. "
                "Changes nothing."
            ),
            "push_live": "Moves the aliases by one request, then the watermark.",
        },
    ),
    "roll_back": OperationDocs(
        "Roll back: searchers see an earlier generation of a site",
        """\
### Roll back

**What.** Searchers see an earlier generation again, from one moment to the next, and the site is
put **on hold**: no run changes live until a person releases it (*site_indexer_hold*).

**When.** By hand, when what is live is wrong. `site-indexer generations SITE` lists what is kept.

**Options** (*Trigger*). *Site*. *Generation*: which one; left empty, the one shown before.

**When it fails**, nothing has changed. `look`: there is no such generation. `approve`: somebody
said no. `roll_back`: a run published at the same moment; clear `look` with downstream.
""",
        {
            "look": (
                "Opens the generation and says what will be done: what live will show, of which "
                "date its newest block is, how many documents searchers would lose."
            ),
            "roll_back": "Puts the site on hold and moves the alias by one request.",
        },
    ),
    "drop_staged": OperationDocs(
        "Drop staged: let the staged index of a site go",
        """\
### Drop staged

**What.** The staged index of a site goes, with its watermark and its retry list. Live stays as it
is. The next staged run begins anew, as a copy of live.

**When.** By hand, when what is staged is not wanted.

**Options** (*Trigger*). *Site*.

**When it fails**, clear the task: what is gone already stays gone.
""",
        {"drop_staged": "Takes the alias away, then the Variable. Doing it twice does no harm."},
    ),
    "watermark": OperationDocs(
        "Set or clear the watermark of a site",
        """\
### Set or clear the watermark

**What.** Sets the date after which the blocks of a site's script are new, or clears it (*Clear
Date*: the next run takes every block). The same can be done under *Admin > Variables*.

**When.** By hand: to run blocks again, to leave blocks out, or to begin a new site at a date.

**Options** (*Trigger*). *Site*. *Target*: live or staged. *Watermark*: the date, or *Clear*.

**When it fails**, the watermark is as it was. The log says what was wrong with the date, or what
shadows the Variable.
""",
        {"set_watermark": "Writes the Variable, and reads it back."},
    ),
    "hold": OperationDocs(
        "Release a site from its hold, or put it on hold",
        """\
### Hold

**What.** While a site is on hold no run changes its live index: script runs end green in their
first task and say so. A roll back puts a site on hold; here a person releases it, or sets a hold.

**When.** By hand.

**Options** (*Trigger*). *Site*. *Action*: release, or put on hold. *Watermark on release*: that of
the generation that is shown, so that blocks which were rolled back run again (the default); or as
it is.

**When it fails**, the site is as it was: not on hold, or the Variable could not be written.
""",
        {"hold": "Moves the watermark where asked, then releases the site; or sets a hold."},
    ),
}
