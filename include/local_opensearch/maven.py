"""Fetches jars from Maven repositories through jgo, which knows where Maven Central is.

Only this module and :mod:`local_opensearch.relock` meet jgo. A person's own repositories (section
``[repositories]`` of jgo's settings file) are asked too, so a mirror works; one named ``central``
takes the place of Maven Central.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from local_opensearch.errors import DownloadError
from local_opensearch.lock import Jar

if TYPE_CHECKING:
    from jgo.maven import MavenContext

PARALLEL_DOWNLOADS = 8
ATTEMPTS = 3
REQUEST_TIMEOUT_S = 30


def maven_context(repository: Path) -> MavenContext:
    """The entry of jgo to the repositories, keeping what it fetches in ``repository``."""
    try:
        # A development requirement, needed at the first start only, and slow to import.
        from jgo.config import GlobalSettings  # noqa: PLC0415
        from jgo.maven import MavenContext  # noqa: PLC0415
    except ImportError as error:
        raise DownloadError(
            "The Python package jgo, which fetches OpenSearch, is not installed.",
            hint="Install the development requirements (make setup).",
        ) from error
    # It warns of what is checked here against the lock file anyway.
    logging.getLogger("jgo").setLevel(logging.ERROR)
    context = MavenContext(repo_cache=repository, timeout=REQUEST_TIMEOUT_S)
    context.remote_repos.update(GlobalSettings.load().repositories)
    return context


def fetch(jars: Iterable[Jar], repository: Path, accept: Callable[[Jar, Path], None]) -> None:
    """Download ``jars``, several at once and without asking for what they depend on.

    ``accept`` is called in the caller's thread with each jar and its file, as they arrive.
    Raises :class:`DownloadError` if one cannot be had; what ``accept`` raises ends it too.
    """
    context = maven_context(repository)
    with ThreadPoolExecutor(PARALLEL_DOWNLOADS) as pool:
        downloads = {pool.submit(fetch_one, context, jar.coordinate): jar for jar in jars}
        try:
            for done in as_completed(downloads):
                accept(downloads[done], done.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def fetch_one(context: MavenContext, coordinate: str) -> Path:
    """Path of one downloaded jar. Raises :class:`DownloadError` after ``ATTEMPTS`` tries."""
    artifact = context.create_dependency(coordinate).artifact
    failure: Exception | None = None
    for _ in range(ATTEMPTS):
        try:
            return artifact.resolve()
        except (requests.RequestException, RuntimeError) as error:
            failure = error
            # A download that broke off leaves a part, which would pass for the whole next time.
            if artifact.cached_path is not None:
                artifact.cached_path.unlink(missing_ok=True)
    raise DownloadError(
        f"{coordinate} could not be downloaded: {failure}.",
        hint="The first start needs the network; later ones do not. Behind a firewall, name your"
        " Maven mirror as `central` in the [repositories] section of ~/.config/jgo.conf.",
        coordinate=coordinate,
    ) from failure
