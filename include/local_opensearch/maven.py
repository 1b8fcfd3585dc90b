"""Fetches jars from Maven repositories; jgo knows where Maven Central is.

Only this module and :mod:`local_opensearch.relock` meet jgo. A person's own repositories (section
``[repositories]`` of jgo's settings file) are asked too, so a mirror works; one named ``central``
takes the place of Maven Central.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import TYPE_CHECKING

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

from local_opensearch.errors import DownloadError
from local_opensearch.lock import Jar
from site_indexer.crawling.certificates import ca_bundle

if TYPE_CHECKING:
    from jgo.maven import Artifact, MavenContext

PARALLEL_DOWNLOADS = 8
ATTEMPTS = 3
TIMEOUT_S = 10
CHUNK_BYTES = 1 << 16


def maven_context(repository: Path) -> MavenContext:
    """The entry of jgo to the repositories, keeping what it fetches in ``repository``.

    Raises :class:`DownloadError` if jgo is not installed.
    """
    try:
        # A development requirement, needed at the first start only.
        from jgo.config import GlobalSettings  # noqa: PLC0415
        from jgo.maven import MavenContext  # noqa: PLC0415
    except ImportError as error:
        raise DownloadError(
            "The Python package jgo, which knows Maven's repositories, is not installed.",
            hint="Install the development requirements (make setup).",
        ) from error
    context = MavenContext(repo_cache=repository)
    context.remote_repos.update(GlobalSettings.load().repositories)
    return context


def fetch(jars: Iterable[Jar], folder: Path, accept: Callable[[Jar, Path], None]) -> None:
    """Download ``jars`` into ``folder``, several at once, without what they depend on.

    ``accept`` is called in the caller's thread with each jar and its file, as they arrive.
    Raises :class:`DownloadError` if one cannot be had; what ``accept`` raises ends it too.
    """
    folder.mkdir(parents=True, exist_ok=True)
    context = maven_context(folder)
    # jgo's own download asks anew for each file and its checksum file: three times as long.
    with _session() as session, ThreadPoolExecutor(PARALLEL_DOWNLOADS) as pool:
        downloads = {
            pool.submit(_fetch_one, session, context, jar, folder / jar.name): jar for jar in jars
        }
        try:
            for done in as_completed(downloads):
                accept(downloads[done], done.result())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _session() -> requests.Session:
    """Keeps connections, and waits as a busy server asks for."""
    session = requests.Session()
    # Behind a company's proxy only the system knows whom to trust. REQUESTS_CA_BUNDLE still wins.
    session.verify = os.environ.get("REQUESTS_CA_BUNDLE") or ca_bundle()
    busy = Retry(total=3, connect=0, read=0, backoff_factor=0.5, status_forcelist=(429, 502, 503))
    session.mount("https://", HTTPAdapter(pool_maxsize=PARALLEL_DOWNLOADS, max_retries=busy))
    return session


def _fetch_one(session: requests.Session, context: MavenContext, jar: Jar, file: Path) -> Path:
    """Download one jar into ``file``, from the first repository that has it."""
    artifact = context.create_dependency(jar.coordinate).artifact
    failure = "no repository is known"
    for repository in context.remote_repos.values():
        for _ in range(ATTEMPTS):
            try:
                return _download(session, _address(repository, artifact), file)
            except requests.HTTPError as error:
                failure = str(error)
                break
            except requests.RequestException as error:
                failure = str(error)
    raise DownloadError(
        f"{jar.coordinate} could not be downloaded: {failure}.",
        hint="The first start needs the network; later ones do not. Behind a firewall, name your"
        " Maven mirror as `central` in the [repositories] section of ~/.config/jgo.conf.",
        coordinate=jar.coordinate,
    )


def _address(repository: str, artifact: Artifact) -> str:
    path = artifact.component.path_prefix.as_posix()
    return f"{repository.rstrip('/')}/{path}/{artifact.filename}"


def _download(session: requests.Session, address: str, file: Path) -> Path:
    with session.get(address, stream=True, timeout=TIMEOUT_S) as answer:
        answer.raise_for_status()
        with file.open("wb") as output:
            for chunk in answer.iter_content(CHUNK_BYTES):
                output.write(chunk)
    return file
