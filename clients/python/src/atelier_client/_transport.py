"""What both clients need of httpx."""

from __future__ import annotations

import asyncio
import time
from typing import Any, AsyncIterator, Dict, Iterator, Optional

import httpx

from ._flow import Answer, Request

TIMEOUT = httpx.Timeout(60.0, connect=10.0)

pause = time.sleep
async_pause = asyncio.sleep


def arguments_of(request: Request) -> Dict[str, Any]:
    arguments: Dict[str, Any] = {"method": request.method, "url": request.url, "headers": dict(request.headers)}
    if request.query:
        arguments["params"] = {
            name: str(value).lower() if isinstance(value, bool) else value for name, value in request.query.items()
        }
    if request.json is not None:
        arguments["json"] = request.json
    if request.content is not None:
        arguments["content"] = request.content
    if request.file is not None:
        arguments["files"] = {"file": ("file", request.file, "application/octet-stream")}
    if request.silence_seconds is not None:
        arguments["timeout"] = httpx.Timeout(10.0, read=request.silence_seconds)
    return arguments


def answer_of(response: httpx.Response, body: bytes) -> Answer:
    return Answer(response.status_code, {name.lower(): value for name, value in response.headers.items()}, body)


def is_success(response: httpx.Response) -> bool:
    return response.status_code < 400


class Lines:
    """The lines of an open response."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._lines: Iterator[str] = response.iter_lines()

    def next_line(self) -> Optional[str]:
        try:
            return next(self._lines, None)
        except httpx.HTTPError:
            return None

    def close(self) -> None:
        self._response.close()


class AsyncLines:
    """The lines of an open response, for asyncio."""

    def __init__(self, response: httpx.Response) -> None:
        self._response = response
        self._lines: AsyncIterator[str] = response.aiter_lines()

    async def next_line(self) -> Optional[str]:
        try:
            return await self._lines.__anext__()
        except (StopAsyncIteration, httpx.HTTPError):
            return None

    async def close(self) -> None:
        await self._response.aclose()
