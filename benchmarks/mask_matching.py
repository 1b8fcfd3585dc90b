"""What thousands of masks cost for each URL, and that no expression can make matching slow.

    PYTHONPATH=include python benchmarks/mask_matching.py

A rule list of 10,000 masks (80 % prefixes, 15 % wildcards, 5 % regular expressions) judges 100,000
URLs, and so do lists of 10 masks of the same mix, in turns within one process. As 10 masks cannot
be split 80/15/5, 20 lists of 10 are drawn that have this mix together. Last, a catastrophic
expression meets URLs of growing length: its time per character must stay the same.
"""

from __future__ import annotations

import argparse
import datetime as dt
import random
import re
import statistics
import time
from collections.abc import Sequence

from site_indexer.masks import Rule, RuleAction, RuleList, RuleOrigin, compile_mask
from site_indexer.urls import MaskKind

HOST = "https://www.example.com"
WORDS = (
    *("news", "photos", "archive", "products", "team", "docs", "guide", "price", "about", "press"),
    *("jobs", "blog", "events", "media", "help"),
)
CATASTROPHIC = "^https://h/(a+)+(a|aa)+(.*a){9}$"


def random_path(source: random.Random, depth: int) -> str:
    return "/".join(f"{source.choice(WORDS)}-{source.randrange(100)}" for _ in range(depth))


def random_mask(source: random.Random, kind: MaskKind) -> Rule:
    path = random_path(source, source.randint(1, 3))
    text = {
        MaskKind.PREFIX: f"{HOST}/{path}",
        MaskKind.WILDCARD: source.choice([f"*/{path}/*.pdf", f"{HOST}/{path}/*", f"*{path}*.html"]),
        MaskKind.REGEXP: f"/{re.escape(path)}/[[:digit:]]+(-[a-z]+)?$",
    }[kind]
    action = source.choice([RuleAction.INCLUDE, RuleAction.EXCLUDE])
    return Rule(action, compile_mask(text, kind), RuleOrigin.SCRIPT, f"{action} {text}")


def random_masks(source: random.Random, count: int) -> list[Rule]:
    """Masks in random order, 80 % prefixes, 15 % wildcards, 5 % regular expressions."""
    kinds = [MaskKind.PREFIX] * (count * 80 // 100) + [MaskKind.WILDCARD] * (count * 15 // 100)
    kinds += [MaskKind.REGEXP] * (count - len(kinds))
    source.shuffle(kinds)
    return [random_mask(source, kind) for kind in kinds]


def rule_list(rules: Sequence[Rule]) -> RuleList:
    return RuleList(rules, now=dt.datetime.now(dt.UTC), zone=dt.UTC)


def seconds_for(rules: RuleList, urls: Sequence[str]) -> float:
    started = time.process_time()
    for url in urls:
        rules.judge(url)
    return time.process_time() - started


def compare(counts: tuple[int, int], urls: Sequence[str], rounds: int) -> None:
    source = random.Random(1)
    few, many = counts
    few_rules = random_masks(source, 20 * few)
    small = [rule_list(few_rules[i : i + few]) for i in range(0, len(few_rules), few)]
    started = time.process_time()
    big = rule_list(random_masks(source, many))
    print(f"{many:,} masks are compiled and indexed in {time.process_time() - started:.2f} s")
    ratios = []
    for _ in range(rounds):
        share = len(urls) // len(small)
        of_few = sum(
            seconds_for(rules, urls[i * share : (i + 1) * share]) for i, rules in enumerate(small)
        )
        of_many = seconds_for(big, urls[: share * len(small)])
        ratios.append(of_many / of_few)
        per_url = 1e6 / (share * len(small))
        print(
            f"{few} masks {of_few * per_url:6.2f} us a URL   {many:,} masks"
            f" {of_many * per_url:6.2f} us a URL   ratio {ratios[-1]:.2f}"
        )
    print(f"ratio {many:,} / {few} masks, median of {rounds}: {statistics.median(ratios):.2f}")


def catastrophe() -> None:
    mask = compile_mask(CATASTROPHIC, MaskKind.REGEXP)
    print(f"{CATASTROPHIC} on https://h/aaa...b:")
    first = None
    for length in (1_000, 10_000, 100_000, 1_000_000):
        url = "https://h/" + "a" * length + "b"
        best = min(timed(mask.matches, url) for _ in range(5))
        per_character = best / length * 1e9
        first = first or per_character
        print(
            f"{length:>9,} characters {best * 1000:8.2f} ms, {per_character:6.1f} ns each,"
            f" ratio to the first {per_character / first:.2f}"
        )


def timed(matches: object, url: str) -> float:
    started = time.perf_counter()
    assert callable(matches)
    assert not matches(url)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, default=100_000)
    parser.add_argument("--masks", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    arguments = parser.parse_args()
    source = random.Random(2)
    ends = ("", ".html", ".pdf", "/12-ab", "/7", "?page=3")
    urls = [
        f"{HOST}/{random_path(source, source.randint(1, 4))}{source.choice(ends)}"
        for _ in range(arguments.urls)
    ]
    compare((10, arguments.masks), urls, arguments.rounds)
    catastrophe()


if __name__ == "__main__":
    main()
