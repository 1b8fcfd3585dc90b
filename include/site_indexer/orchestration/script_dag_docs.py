"""What the Airflow UI says about a script Dag and its tasks, for whoever is on call."""

from __future__ import annotations

from collections.abc import Mapping

from site_indexer.index_store.names import Target
from site_indexer.orchestration.schedules import schedule_in_words
from site_indexer.orchestration.watermark_variable import variable_key
from site_indexer.sites.definition import SiteDefinition

TASKS: Mapping[str, str] = {
    "read_script": (
        "Checks the run's options, fetches the index script and selects the blocks that are new, "
        "or those of the run's window. **None: the rest of the run is skipped**, and it is green. "
        "In the site's maintenance hours it waits for their end, as *up for reschedule*. "
        "Red: the script cannot be reached or has an error in a new block; the log has one line "
        "for each, with its line in the script."
    ),
    "plan": (
        "Shows what the run will do as a table in its log, one row for each command. "
        "A dry run ends here, with the rest skipped; it comes here also where nothing is new."
    ),
    "branch": "Skips the types of work of which the plan has none: they are shown as skipped.",
    "delete": "Records the documents that `delete` lines name; they go when the run publishes.",
    "deletemask": (
        "Records the documents that `deletemask` lines match; they go when the run publishes."
    ),
    "add": (
        "Crawls from the URLs of `add` lines. Where another run crawls this site it waits as *up "
        "for reschedule* and tries again each minute. A crawl that was broken off goes on from "
        "what it had gathered."
    ),
    "update": (
        "Fetches again what `update` lines match, with the page's own date as condition. "
        "Comes after `add`: one crawl of a site at a time."
    ),
    "review": (
        "Checks that all planned work is there and that not too many pages failed. "
        "Red: nothing is published and the watermark stays, so the next run tries again."
    ),
    "approve": (
        "Passes at once where the brake does not trip. Else it waits for an answer under "
        "*Required Actions*: how many documents would go, of how many, by which cause and line. "
        "**Approve**: they go when the run publishes. Red: rejected, or nobody answered in time; "
        "nothing has changed. While it waits, later runs of the same target end green and say so. "
        "Marking it green does not pass the brake: `publish` asks for the answer on record."
    ),
    "publish": (
        "Builds the new index from the one that searchers see and from what the run gathered, "
        "swaps it in with one request, then moves the watermark."
    ),
    "tidy": "Removes indexes that are no longer kept. Runs however the run ended.",
    "result": "Sums the run up. It is red, and with it the run, if any task before it failed.",
}
"""What each task does, and what it means when it is red or skipped."""


def dag_doc(definition: SiteDefinition) -> str:
    """The Dag's documentation: what, when, options, what to do when it fails."""
    live, staged = (variable_key(definition.id, target) for target in (Target.LIVE, Target.STAGED))
    remembered = (
        "Blocks dated later than the watermark are new."
        if definition.script.remember_date
        else "This site does not remember dates: every block is new in each run."
    )
    return f"""\
### {definition.name}: index script

**What.** Reads {definition.script.url} and carries out its new blocks: pages are crawled, documents
removed, and the result is put before searchers as a whole, or not at all.

**When.** {_sentence(schedule_in_words(definition))}. {remembered} The watermark is an Airflow
Variable that can be read, edited and deleted under *Admin > Variables*: `{live}` (live),
`{staged}` (staged). Deleting it is Clear Date.

**Options** (*Trigger*). *Target*: the index to change. *Clear date*: process every block.
*Blocks from* and *Blocks to*: process the blocks of a window, and leave the watermark alone.
*Dry run*: show the plan, change nothing. A *backfill* takes the blocks dated from one tick of the
schedule to the next, changes the staged index unless Target says live, and never moves the
watermark; its runs may come in any order, several at once, and again.

**When it fails**, searchers still see the whole index from before the run; if only `tidy` or
`result` is red, the whole new one. Nothing is half done, and nothing is lost.
1. Open the red task that is furthest left and read its log from the end.
2. `read_script`: correct the script at the line named, or wait until it can be reached.
3. `add`, `update`, `review`: see why pages failed; most often the site was down.
4. `approve`: so many documents would go that somebody has to agree. Answer under *Required
   Actions*; where that was rejected, correct the script, or clear `review` to be asked anew.
5. Clear the red task *with its downstream tasks*: what was gathered is not fetched again. Or wait
   for the next run, which starts from the same watermark.

Questions go to {definition.owner}.
"""


def _sentence(words: str) -> str:
    return words[0].upper() + words[1:]
