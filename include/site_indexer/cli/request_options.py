"""The options of ``fetch`` that describe a request or a saved answer (docs/spec/08-shell.md)."""

from __future__ import annotations

import argparse
import ipaddress
import math
import re

_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:(.*)", re.DOTALL)
_PIN = re.compile(r"(?P<host>[^\s:/\[\]]+|\[[0-9A-Fa-f:.]+\]):(?P<port>[0-9]{1,5}):(?P<address>.+)")
_LONGEST_S = 3600.0


def header(text: str) -> tuple[str, str]:
    """Read ``Name: value`` (RFC 9110, 5.1 and 5.5)."""
    match = _HEADER.fullmatch(text.strip())
    if match is None or not match[2].isprintable():
        raise argparse.ArgumentTypeError(f"expected 'Name: value', not {text!r}")
    return match[1], match[2].strip()


def status(text: str) -> int:
    """Read an HTTP status of three digits."""
    if not (text.isascii() and text.isdigit() and 100 <= int(text[:4]) <= 599):
        raise argparse.ArgumentTypeError(f"expected a status from 100 to 599, not {text!r}")
    return int(text)


def seconds(text: str) -> float:
    """Read a time in seconds, more than none and up to an hour."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value <= _LONGEST_S:
        raise argparse.ArgumentTypeError(f"expected seconds, up to {_LONGEST_S:g}, not {text!r}")
    return value


def pin(text: str) -> str:
    """Read ``HOST:PORT:ADDRESS`` as curl's ``--resolve`` takes it, with one address."""
    match = _PIN.fullmatch(text.strip())
    try:
        if match is None or int(match["port"]) > 65_535:
            raise ValueError
        ipaddress.ip_address(match["address"].strip("[]"))
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"expected HOST:PORT:ADDRESS such as www.example.com:443:203.0.113.7, not {text!r}"
        ) from None
    return f"{match['host'].lower()}:{match['port']}:{match['address']}"
