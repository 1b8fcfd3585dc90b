"""The web server: nginx as one process, with ETag, Last-Modified and answers 304."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from website import MODIFIED, ROBOTS, Site

WHAT_IS_NEEDED = (
    "nginx is not on this machine. Install the package nginx-light (Debian, Ubuntu) or nginx, or"
    " unpack it somewhere and add its folder to PATH; its own service need not run."
)
_CONFIGURATION = """\
worker_processes 1;
daemon off;
pid {home}/nginx.pid;
error_log {home}/error.log warn;
events {{ worker_connections 1024; }}
http {{
  types {{ text/html html; text/css css; application/javascript js; image/png png;
           image/svg+xml svg; image/x-icon ico; text/plain list; }}
  default_type application/octet-stream;
  access_log off;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  client_body_temp_path {home}/body; proxy_temp_path {home}/proxy; fastcgi_temp_path {home}/fast;
  uwsgi_temp_path {home}/uwsgi; scgi_temp_path {home}/scgi;
  # Fresh for no time: caches have to ask each time, and are answered 304.
  add_header Cache-Control "max-age=0";
  server {{
    listen 127.0.0.1:{port} backlog=1024;
    root {home}/root;
{locations}
  }}
}}
"""


class Website:
    """What nginx serves at ``url``; texts can be put beside the sites."""

    def __init__(self, url: str, root: Path, process: psutil.Process) -> None:
        self.url = url
        self._root = root
        self._process = process

    def put(self, name: str, text: str) -> str:
        """Serve a text file, and as old as the sites; returns its URL.

        A script of this minute might be in the middle of being written, and is read twice.
        """
        path = self._root / name
        path.write_text(text)
        os.utime(path, (MODIFIED, MODIFIED))
        return f"{self.url}/{name}"

    def processes(self) -> list[psutil.Process]:
        """The processes of the server."""
        return [self._process, *self._process.children(recursive=True)]


@contextmanager
def served(sites: Iterable[Site], home: Path) -> Iterator[Website]:
    """Serve the sites on a free port. Raises SystemExit that says what is needed, if it is not."""
    program = shutil.which("nginx", path="/usr/local/sbin:/usr/sbin:/sbin:/usr/local/bin:/usr/bin")
    program = shutil.which("nginx") or program
    if program is None:
        raise SystemExit(WHAT_IS_NEEDED)
    root = home / "root"
    root.mkdir(parents=True, exist_ok=True)
    (root / "robots.txt").write_text(ROBOTS)
    port = _free_port()
    locations = "\n".join(
        f"    location {site.prefix} {{ alias {site.folder}/; index index.html; }}"
        for site in sites
    )
    configuration = home / "nginx.conf"
    configuration.write_text(_CONFIGURATION.format(home=home, port=port, locations=locations))
    process = subprocess.Popen([program, "-c", str(configuration), "-e", str(home / "error.log")])
    try:
        _wait_for(port, process)
        yield Website(f"http://127.0.0.1:{port}", root, psutil.Process(process.pid))
    finally:
        process.terminate()
        process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    for _ in range(200):
        if process.poll() is not None:
            raise SystemExit(f"nginx ended with status {process.returncode}.")
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise SystemExit("nginx does not answer.")
