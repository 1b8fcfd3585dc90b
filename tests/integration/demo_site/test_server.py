"""The demo server over real connections."""

from __future__ import annotations

import gzip
import http.client
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from demo_site.changes import reset
from demo_site.errors import PortTakenError
from demo_site.faults import Fault
from demo_site.script import FIRST_RUN
from demo_site.server import Access, RunningSite, running

NOW = datetime(2026, 11, 6, 8, 49, 37, tzinfo=UTC)


@pytest.fixture
def site(tmp_path: Path) -> Iterator[RunningSite]:
    with running(tmp_path / "state") as started:
        yield started


class Client:
    """One kept connection; each answer is read whole."""

    def __init__(self, site: RunningSite) -> None:
        self.connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)

    def get(self, target: str, method: str = "GET", **headers: str) -> http.client.HTTPResponse:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        self.connection.request(method, target, headers=fields)
        response = self.connection.getresponse()
        self.body = response.read()
        return response


@pytest.fixture
def client(site: RunningSite) -> Client:
    return Client(site)


def test_a_page_with_its_headers(client: Client) -> None:
    response = client.get("/en/")
    assert (response.status, response.version) == (200, 11)
    assert response.getheader("Content-Type") == "text/html; charset=utf-8"
    assert response.getheader("Content-Length") == str(len(client.body))
    assert response.getheader("Last-Modified") == "Tue, 11 Mar 2025 10:00:00 GMT"
    assert str(response.getheader("ETag")).startswith('"')


def test_many_answers_over_one_connection(client: Client) -> None:
    client.get("/en/")
    socket = client.connection.sock
    for target in ("/about", "/en/nothing", "/en/visit/guestbook.html", "/zh/"):
        client.get(target)
    client.get("/en/", method="HEAD")
    etag = client.get("/en/").getheader("ETag")
    assert client.get("/en/", If_None_Match=str(etag)).status == 304
    assert client.get("/ar/").status == 200
    assert client.connection.sock is socket


def test_head_is_a_get_without_the_body(client: Client) -> None:
    get = client.get("/en/", Accept_Encoding="gzip")
    expected = {name: value for name, value in get.getheaders() if name != "Date"}
    head = client.get("/en/", method="HEAD", Accept_Encoding="gzip")
    assert {name: value for name, value in head.getheaders() if name != "Date"} == expected
    assert client.body == b""


def test_conditions_over_the_wire(client: Client) -> None:
    first = client.get("/en/")
    etag, modified = str(first.getheader("ETag")), str(first.getheader("Last-Modified"))
    again = client.get("/en/", If_None_Match=etag)
    assert (again.status, client.body) == (304, b"")
    assert again.getheader("ETag") == etag
    assert again.getheader("Content-Length") is None
    assert client.get("/en/", If_Modified_Since=modified).status == 304
    other = client.get("/en/", If_None_Match='"other"', If_Modified_Since=modified)
    assert other.status == 200


def test_gzip_on_request(client: Client) -> None:
    client.get("/en/")
    plain = client.body
    response = client.get("/en/", Accept_Encoding="gzip")
    assert response.getheader("Content-Encoding") == "gzip"
    assert gzip.decompress(client.body) == plain


def test_types_of_files(client: Client) -> None:
    for target, content_type in (
        ("/docs/annual-report-2024.pdf", "application/pdf"),
        ("/docs/tides-2025.csv", "text/csv; charset=utf-8"),
        ("/docs/tides-2025.zip", "application/zip"),
        ("/robots.txt", "text/plain; charset=utf-8"),
        ("/sitemap.xml", "application/xml"),
        ("/indexlist.txt", "text/plain; charset=utf-8"),
        ("/img/logo.svg", "image/svg+xml"),
    ):
        response = client.get(target)
        assert (response.status, response.getheader("Content-Type")) == (200, content_type)


def test_other_methods_are_refused(client: Client) -> None:
    assert client.get("/en/", method="POST").status == 501


def test_the_record_of_requests(site: RunningSite, client: Client) -> None:
    client.get("/en/?a=b", User_Agent="SiteIndexer/1")
    client.get("/about", method="HEAD")
    client.get("/en/nothing")
    assert site.requests.all() == [
        ("GET", "/en/?a=b", 200),
        ("HEAD", "/about", 301),
        ("GET", "/en/nothing", 404),
    ]
    assert site.requests.of("/about") == [Access("HEAD", "/about", 301)]
    assert site.requests.headers_of("/en/?a=b")[0]["user-agent"] == "SiteIndexer/1"
    site.requests.clear()
    assert site.requests.all() == []


def test_the_script_names_the_port_that_serves_it(tmp_path: Path) -> None:
    with running(tmp_path) as first:
        Client(first).get("/indexlist.txt")
    with running(tmp_path) as second:
        client = Client(second)
        response = client.get("/indexlist.txt")
        text = client.body.decode()
        made = second.change(NOW)
        client.get("/indexlist.txt")
    assert response.getheader("Last-Modified") == FIRST_RUN.strftime("%a, %d %b %Y %H:%M:%S GMT")
    assert f"add {second.url}/en/visit/night-tours.html nofollow" in text
    assert f"add {made.added[0]} nofollow" in client.body.decode()
    assert second.url != first.url
    assert f"{first.url}/" not in client.body.decode()


def test_a_change_is_served_without_a_restart(site: RunningSite, client: Client) -> None:
    old_script = client.get("/indexlist.txt").getheader("ETag")
    old_page = client.get("/en/visit/opening-hours.html").getheader("ETag")
    made = site.change(NOW)
    assert client.get(made.added[0].removeprefix(site.url)).status == 200
    assert client.get(made.deleted[0].removeprefix(site.url)).status == 410
    page = client.get("/en/visit/opening-hours.html", If_None_Match=str(old_page))
    assert (page.status, page.getheader("Last-Modified")) == (200, "Fri, 06 Nov 2026 08:49:37 GMT")
    script = client.get("/indexlist.txt", If_None_Match=str(old_script))
    assert script.status == 200
    assert client.body.decode().splitlines()[made.block_line - 1] == (
        "date Fri, 06 Nov 2026 08:49:37 GMT"
    )


def test_a_reset_is_served_without_a_restart(site: RunningSite, client: Client) -> None:
    made = site.change(NOW)
    reset(site.state_dir)
    assert client.get(made.added[0].removeprefix(site.url)).status == 404
    assert client.get("/indexlist.txt").status == 200
    assert b"Change 1" not in client.body


def test_a_broken_state_is_a_500_and_heals(site: RunningSite, client: Client) -> None:
    state = site.state_dir / "state.json"
    good = state.read_text()
    state.write_text("{")
    assert client.get("/en/").status == 500
    assert b"state.json" in client.body
    state.write_text(good)
    assert client.get("/en/").status == 200


def test_a_taken_port(site: RunningSite, tmp_path: Path) -> None:
    with pytest.raises(PortTakenError, match=str(site.port)), running(tmp_path, site.port):
        pytest.fail("two servers on one port")


def test_a_stopped_server_answers_nobody(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        client = Client(site)
        client.get("/en/")
    with pytest.raises((ConnectionError, http.client.HTTPException)):
        client.get("/en/")


def test_a_status_in_place_of_a_page(site: RunningSite, client: Client) -> None:
    etag = str(client.get("/en/").getheader("ETag"))
    site.faults.set("/en/", Fault(status=503, headers=(("Retry-After", "2"),), times=1))
    response = client.get("/en/", If_None_Match=etag)
    assert (response.status, response.getheader("Retry-After")) == (503, "2")
    assert response.getheader("ETag") is None
    assert client.get("/en/").status == 200
    assert [access.status for access in site.requests.of("/en/")] == [200, 503, 200]


def test_a_body_in_place_of_a_page(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(body=b"<p>back soon</p>"))
    response = client.get("/en/", If_None_Match="*", Accept_Encoding="gzip")
    assert (response.status, client.body) == (200, b"<p>back soon</p>")
    assert response.getheader("Content-Encoding") is None
    site.faults.set("/en/", Fault(status=200, body=b"{}", headers=(("Content-Type", "text/x"),)))
    assert client.get("/en/").headers.get_all("Content-Type") == ["text/x"]


def test_headers_added_to_a_page(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(headers=(("X-Robots-Tag", "noindex"),)))
    response = client.get("/en/")
    assert (response.status, response.getheader("X-Robots-Tag")) == (200, "noindex")
    assert response.getheader("ETag") is not None


def test_a_redirect_in_place_of_a_page(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(status=301, body=b"", headers=(("Location", "/es/"),)))
    assert client.get("/en/").getheader("Location") == "/es/"


def test_a_page_where_there_was_none(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/nothing", Fault(status=200, body=b"<p>here</p>"))
    assert client.get("/en/nothing").status == 200


def test_a_dropped_connection(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(drop=True))
    with pytest.raises(http.client.RemoteDisconnected):
        client.get("/en/")
    assert site.requests.all() == [("GET", "/en/", 0)]


def test_a_body_cut_short(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(cut_after=10))
    with pytest.raises(http.client.IncompleteRead) as raised:
        client.get("/en/")
    assert len(raised.value.partial) == 10


def test_a_stall_ends_when_it_is_cleared(site: RunningSite, client: Client) -> None:
    site.faults.set("/en/", Fault(stall=True))
    statuses: list[int] = []
    waiting = threading.Thread(target=lambda: statuses.append(client.get("/en/").status))
    waiting.start()
    # Others are served meanwhile.
    assert Client(site).get("/es/").status == 200
    assert site.requests.of("/en/") == []
    site.faults.clear()
    waiting.join(timeout=30)
    assert statuses == [200]


def test_the_server_stops_though_a_request_stalls(tmp_path: Path) -> None:
    with running(tmp_path) as site:
        site.faults.set("/en/", Fault(stall=True))
        connection = http.client.HTTPConnection("127.0.0.1", site.port, timeout=30)
        connection.request("GET", "/en/")
        assert Client(site).get("/es/").status == 200
    connection.close()
