"""This product, through the use cases that its tasks and its shell call: one run of one script."""

from __future__ import annotations

import argparse
import datetime as dt
import json
import logging
from pathlib import Path

from site_indexer.index_store.names import Target
from site_indexer.indexing.model import RunRequest
from site_indexer.indexing.run import run
from site_indexer.indexing.settings import Settings
from site_indexer.indexing.wiring import build_collaborators


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--site", required=True)
    parser.add_argument("--sites-dir", type=Path, required=True)
    parser.add_argument("--opensearch", required=True)
    parser.add_argument("--again", action="store_true", help="see every block as new (Clear Date)")
    options = parser.parse_args()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(message)s")
    settings = Settings.from_environment(
        {}, sites_dir=options.sites_dir, opensearch_url=options.opensearch
    )
    now = dt.datetime.now(dt.UTC)
    result = run(
        build_collaborators(settings=settings),
        RunRequest(
            options.site,
            Target.LIVE,
            f"shell__{now:%Y%m%d%H%M%S}",
            now,
            clear_date=options.again,
        ),
    )
    counts = result.counts
    print(json.dumps({"pages": counts["fetched"], "unchanged": counts.get("not_modified", 0)}))


if __name__ == "__main__":
    main()
