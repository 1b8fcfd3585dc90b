from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_indexer.crawling.robots_rules import MOST_BYTES, RobotsRules

URL = "https://h.example/robots.txt"


def rules(text: str | bytes) -> RobotsRules:
    return RobotsRules.parse(text if isinstance(text, bytes) else text.encode(), URL)


def allowed(text: str | bytes, path: str) -> bool:
    return rules(text).allows(f"https://h.example{path}")


class TestWhoseRulesCount:
    @pytest.mark.parametrize(
        "agent",
        [
            "SiteIndexer",
            "siteindexer",
            "SITEINDEXER",
            "SiteIndexer/1.0",
            "SiteIndexer/*",
            "SiteIndexer*",
            "SiteIndexer 2",
            "  SiteIndexer\t# ours",
            "SiteIndexer (+https://example.com)",
        ],
    )
    def test_our_own_group_counts_and_the_one_for_all_does_not(self, agent: str) -> None:
        text = f"User-agent: *\nDisallow: /\n\nUser-agent: {agent}\nDisallow: /private"
        assert allowed(text, "/")
        assert not allowed(text, "/private")

    @pytest.mark.parametrize(
        "agent",
        [
            "Site",
            "Indexer",
            "s",
            "SiteIndexerBot",
            "SiteIndexer-News",
            "Site-Indexer",
            "My SiteIndexer",
            "Mozilla/5.0 (compatible; SiteIndexer/1.0)",
            "*bot",
            "",
        ],
    )
    def test_names_that_are_not_ours_do_not_count(self, agent: str) -> None:
        text = f"User-agent: {agent}\nDisallow: /\n\nUser-agent: *\nDisallow: /private"
        assert allowed(text, "/")
        assert not allowed(text, "/private")

    def test_groups_of_the_same_name_are_one(self) -> None:
        text = (
            "User-agent: SiteIndexer\nDisallow: /a\n\nUser-agent: x\nDisallow: /c\n\n"
            "User-agent: SITEINDEXER/2\nDisallow: /b"
        )
        assert [allowed(text, path) for path in ("/a", "/b", "/c")] == [False, False, True]

    def test_a_group_can_have_many_names(self) -> None:
        text = "User-agent: a\nUser-agent: SiteIndexer\nUser-agent: b\nDisallow: /x\n"
        assert not allowed(text, "/x")

    @pytest.mark.parametrize(
        "line", ["", "# a comment", "Noindex: /y", "Clean-param: a /", "Sitemap: /s"]
    )
    def test_what_is_no_rule_does_not_part_names_from_their_rules(self, line: str) -> None:
        text = f"User-agent: SiteIndexer\n{line}\nUser-agent: other\n{line}\nDisallow: /x\n"
        assert not allowed(text, "/x")

    def test_our_group_without_rules_allows_all(self) -> None:
        text = "User-agent: *\nDisallow: /\n\nUser-agent: SiteIndexer\nDisallow:\n"
        assert allowed(text, "/x")

    def test_rules_before_any_name_count_for_nobody(self) -> None:
        assert allowed("Disallow: /\nUser-agent: *\nAllow: /", "/x")


class TestText:
    @pytest.mark.parametrize(
        "body",
        [
            b"\xef\xbb\xbfUser-agent: *\nDisallow: /x",
            b"\xef\xbb\xbf\xef\xbb\xbfUser-agent: *\nDisallow: /x",
            b"# a\n\xef\xbb\xbfUser-agent: *\nDisallow: /x",
            "\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-le"),
            "\ufeffUser-agent: *\nDisallow: /x".encode("utf-16-be"),
            b"User-agent: *\rDisallow: /x\r",
            b"User-agent: *\r\nDisallow: /x\r\n",
            b"User-agent: *\n\rDisallow: /x",
            b"User-agent:*\nDisallow:/x",
            b" \tUSER-AGENT : * \n\tDISALLOW\t:\t/x\t",
            b"User-agent: *\nDisallow: /x # not there",
            b"User-agent: *\nDisallow: /\xc2\x85x\nDisallow: /x",
            b"User-agent: *\x00\nDisallow: /x\x00",
            b"\xff\xff\xfe\nUser-agent: *\nDisallow: /x",
        ],
    )
    def test_odd_texts_are_read(self, body: bytes) -> None:
        assert not allowed(body, "/x")
        assert allowed(body, "/y")

    @pytest.mark.parametrize("mark", ["\x0b", "\x0c", "\x1c", "\x85", "\u2028", "\u2029"])
    def test_only_cr_and_lf_end_a_line(self, mark: str) -> None:
        assert allowed(f"User-agent: *\nDisallow: /a{mark}Disallow: /x", "/x")

    @pytest.mark.parametrize(
        "body",
        [b"", b"\x00" * 100, b"<!doctype html><p>Not found</p>", b"\xff\xfe", b"\x1f\x8b\x08\x00"],
    )
    def test_what_is_no_robots_txt_limits_nothing(self, body: bytes) -> None:
        assert allowed(body, "/x")
        assert rules(body).sitemaps == ()
        assert rules(body).crawl_delay is None

    def test_paths_in_utf_8_and_in_other_charsets_match_their_urls(self) -> None:
        body = b"User-agent: *\nDisallow: /caf\xc3\xa9\nDisallow: /stra\xdfe"
        assert not allowed(body, "/caf%C3%A9")
        assert not allowed(body, "/stra%DFe")
        assert allowed(body, "/cafe")

    def test_500_kib_count_and_no_line_that_is_cut(self) -> None:
        filler = b"User-agent: *\nDisallow: /x\n"
        filler += b"#" * (MOST_BYTES - len(filler) - 12) + b"\n"
        body = filler + b"Disallow: /only-this\nDisallow: /beyond"
        assert not allowed(body, "/x")
        assert allowed(body, "/on")
        assert allowed(body, "/beyond")


class TestMatching:
    @pytest.mark.parametrize(
        ("rule", "refused", "free"),
        [
            ("Disallow: /", ["/", "/a?b"], ["/robots.txt"]),
            ("Disallow: /fish", ["/fish", "/fish.html", "/fishes"], ["/Fish", "/a/fish", "/"]),
            ("Disallow: /fish/", ["/fish/", "/fish/a"], ["/fish", "/fish.html"]),
            ("Disallow: /*.php", ["/a.php", "/a.php?b", "/b/c.php/"], ["/a.PHP", "/php"]),
            ("Disallow: /*.php$", ["/a.php", "/b/c.php"], ["/a.php?b", "/a.php5"]),
            ("Disallow: /fish*.php", ["/fish.php", "/fishes/a.php?b"], ["/a/fish.php"]),
            ("Disallow: /*?", ["/?a=b", "/x?a"], ["/", "/x"]),
            ("Disallow: *.pdf", ["/a.pdf"], ["/a"]),
            ("Disallow: /a%2Fb", ["/a%2Fb"], ["/a/b"]),
            ("Disallow: /%7Ejoe", ["/~joe/x"], ["/joe"]),
            ("Disallow: fish", [], ["/fish", "/"]),
            ("Disallow:", [], ["/", "/x"]),
            ("Dissallow: /x", ["/x"], ["/y"]),
        ],
    )
    def test_paths(self, rule: str, refused: list[str], free: list[str]) -> None:
        text = f"User-agent: *\n{rule}\n"
        assert [path for path in refused if allowed(text, path)] == []
        assert [path for path in free if not allowed(text, path)] == []

    def test_the_longest_rule_decides_and_allow_wins_a_draw(self) -> None:
        text = "User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c\nAllow: /d\nDisallow: /d"
        found = {path: allowed(text, path) for path in ("/a", "/a/b", "/a/b/c", "/d")}
        assert found == {"/a": False, "/a/b": True, "/a/b/c": False, "/d": True}


class TestTheRuleThatDecides:
    TEXT = (
        "User-agent: *\nDisallow: /\n\nUser-agent: SiteIndexer\nDisallow: /a # not yet\n"
        "Allow: /a/b\nDisallow: /*.pdf$\nUser-agent: other\nDisallow: /a/b/c\n"
    )

    @pytest.mark.parametrize(
        ("path", "rule"),
        [
            ("/a/x", "Disallow: /a"),
            ("/a/b/c", "Allow: /a/b"),
            ("/x.pdf", "Disallow: /*.pdf$"),
            ("/x", None),
        ],
    )
    def test_it_is_named_as_written(self, path: str, rule: str | None) -> None:
        assert rules(self.TEXT).rule_for(f"https://h.example{path}") == rule

    @given(
        st.lists(
            st.tuples(
                st.sampled_from(["Allow", "Disallow"]),
                st.from_regex(r"/[ab/*]{0,5}\$?", fullmatch=True),
            ),
            max_size=8,
        ),
        st.from_regex(r"/[ab/]{0,6}", fullmatch=True),
    )
    def test_it_agrees_with_the_verdict(self, lines: list[tuple[str, str]], path: str) -> None:
        text = "User-agent: *\n" + "\n".join(f"{name}: {value}" for name, value in lines)
        found = rules(text)
        url = f"https://h.example{path}"
        rule = found.rule_for(url)
        assert found.allows(url) == (rule is None or rule.startswith("Allow"))


class TestDelaysAndSitemaps:
    @pytest.mark.parametrize(
        ("lines", "seconds"),
        [
            ("Crawl-delay: 5", 5.0),
            ("crawl-delay:0.5", 0.5),
            ("Crawl-delay: 0", 0.0),
            ("Request-rate: 1/10", 10.0),
            ("Request-rate: 2/1m", 30.0),
            ("Crawl-delay: 3\nRequest-rate: 1/10", 10.0),
            ("Crawl-delay: 1e300", 86_400.0),
            ("Crawl-delay: soon", None),
            ("Crawl-delay: -1", None),
            ("Crawl-delay: inf", None),
            ("Crawl-delay: nan", None),
            ("Disallow: /x", None),
        ],
    )
    def test_delays(self, lines: str, seconds: float | None) -> None:
        assert rules(f"User-agent: *\n{lines}\n").crawl_delay == seconds

    def test_a_delay_for_all_is_not_ours_where_we_have_a_group(self) -> None:
        text = "User-agent: *\nCrawl-delay: 9\n\nUser-agent: SiteIndexer\nDisallow: /x\n"
        assert rules(text).crawl_delay is None

    def test_sitemaps_stand_anywhere_and_are_named_once(self) -> None:
        text = (
            "Sitemap: https://h.example/1.xml\nUser-agent: x\nSITEMAP:/2.xml\nDisallow: /\n"
            "Sitemap: https://h.example/1.xml\nSitemap: https://other.example/3.xml\n"
            "Sitemap: mailto:nobody\nSitemap:\n"
        )
        assert rules(text).sitemaps == (
            "https://h.example/1.xml",
            "https://h.example/2.xml",
            "https://other.example/3.xml",
        )


LINES = st.sampled_from(
    (
        *("User-agent: *", "User-agent: SiteIndexer/2", "User-agent", "Disallow: /a", "Allow"),
        *("Disallow: http://[", "Allow: /*b$", "Sitemap: //[", "Crawl-delay: x", "#", "", ":"),
    )
)


@given(st.binary() | st.lists(LINES | st.text()).map(lambda lines: "\n".join(lines).encode()))
def test_any_bytes_can_be_read_and_asked(body: bytes) -> None:
    found = rules(body)
    assert found.allows("https://h.example/robots.txt")
    assert isinstance(found.allows("https://h.example/a?b=%FF"), bool)
    found.rule_for("https://h.example/a")
    assert all(url.startswith(("https://", "http://")) for url in found.sitemaps)
    assert found.crawl_delay is None or found.crawl_delay >= 0


CORPUS = sorted((Path(__file__).parent / "robots_corpus").glob("*.txt"))


@pytest.mark.parametrize("file", CORPUS, ids=lambda file: file.stem)
def test_the_corpus(file: Path) -> None:
    """Files as sites have them; ``#+ path`` says that they allow a path, ``#- path`` not."""
    body = file.read_bytes()
    expected = re.findall(rb"#([+-]) (\S+)", body)
    assert len(expected) >= 2, "a file without expectations tests nothing"
    found = [(b"+" if allowed(body, path.decode()) else b"-", path) for _, path in expected]
    assert found == expected
