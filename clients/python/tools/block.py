"""Turns the source of the asynchronous client into the blocking one, which differs in these words alone."""

from __future__ import annotations

import re

WORDS = {
    "async def": "def",
    "async with": "with",
    "async for": "for",
    "await ": "",
    "__aenter__": "__enter__",
    "__aexit__": "__exit__",
    "aclose": "close",
    "aread": "read",
    "aiter_bytes": "iter_bytes",
    "async_pause": "pause",
    "AsyncAtelier": "Atelier",
    "AsyncClient": "Client",
    "AsyncIterator": "Iterator",
    "AsyncLines": "Lines",
    "AsyncOutput": "Output",
    "AsyncResult": "Result",
    ", for asyncio": "",
    "The client for asyncio.": "The client that blocks. Generated from _async_client.py by tools/generate.py.",
}

PATTERN = re.compile("|".join(rf"(?<!\\w){re.escape(word)}" for word in sorted(WORDS, key=len, reverse=True)))


def block(source: str) -> str:
    return PATTERN.sub(lambda match: WORDS[match.group()], source)
