"""A proxy that breaks connections the way networks do."""

from __future__ import annotations

import asyncio
import random
import socket
import struct
from collections import Counter
from typing import Dict, Optional, Tuple

FAULTS = ("none", "none", "none", "lost", "reset", "busy", "down", "drip", "twice")

BUSY = b"HTTP/1.1 429 Too Many Requests\r\nretry-after: 0\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
DOWN = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class FaultProxy:
    """Passes requests on, and gives each one of the faults, by a seeded random number.

    `lost`: the service answers, but the response never arrives. `reset`: the connection is reset in the middle of the
    response. `busy` and `down`: 429 and 503 without asking the service. `drip`: the response arrives in small pieces.
    `twice`: the service gets the request two times.
    """

    def __init__(self, host: str, port: int, seed: int) -> None:
        self._target = (host, port)
        self._random = random.Random(seed)
        self._server: Optional[asyncio.Server] = None
        self.faults: Counter[str] = Counter()

    async def __aenter__(self) -> FaultProxy:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            request = await read_message(reader)
            if request is not None:
                fault = self._random.choice(FAULTS)
                self.faults[fault] += 1
                await self._answer(request, writer, fault)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _answer(self, request: bytes, writer: asyncio.StreamWriter, fault: str) -> None:
        if fault in ("busy", "down"):
            writer.write(BUSY if fault == "busy" else DOWN)
            await writer.drain()
            return
        response = await self._ask(request)
        if fault == "twice":
            response = await self._ask(request)
        if fault == "lost":
            return
        if fault == "reset":
            writer.write(response[: len(response) // 2])
            await writer.drain()
            sock: socket.socket = writer.get_extra_info("socket")
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            return
        if fault == "drip":
            for at in range(0, len(response), 200):
                writer.write(response[at : at + 200])
                await writer.drain()
                await asyncio.sleep(0.01)
            return
        writer.write(response)
        await writer.drain()

    async def _ask(self, request: bytes) -> bytes:
        reader, writer = await asyncio.open_connection(*self._target)
        try:
            head, _, body = request.partition(b"\r\n\r\n")
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"connection:")]
            writer.write(b"\r\n".join([*lines, b"connection: close"]) + b"\r\n\r\n" + body)
            await writer.drain()
            return await reader.read()
        finally:
            writer.close()


async def read_message(reader: asyncio.StreamReader) -> Optional[bytes]:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    headers: Dict[bytes, bytes] = {}
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        headers[name.lower()] = value.strip()
    return head + await reader.readexactly(int(headers.get(b"content-length", b"0")))


def address_of(url: str) -> Tuple[str, int]:
    host, _, port = url.removeprefix("http://").partition(":")
    return host, int(port)
