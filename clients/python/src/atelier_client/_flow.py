"""What the client asks of its transport.

Every operation is written once, as a generator that yields commands and receives their results. The two clients only
differ in how they carry the commands out: one blocks, the other awaits.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, BinaryIO, Dict, Generator, Mapping, Optional, TypeVar, Union

T = TypeVar("T")


@dataclass(frozen=True)
class Request:
    method: str
    url: str
    """A full address. Only requests to the API carry the key."""
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, Union[str, int, bool]] = field(default_factory=dict)
    json: Optional[Mapping[str, Any]] = None
    content: Optional[bytes] = None
    file: Optional[bytes] = None
    """The field `file` of a form."""
    silence_seconds: Optional[float] = None
    """How long an open stream may be silent."""


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


@dataclass(frozen=True)
class Send:
    """Results in an `Answer`. Raises `ConnectionFailedError` without one."""

    request: Request


@dataclass(frozen=True)
class Save:
    """Like `Send`, but writes the body of a success to a file, which is emptied first."""

    request: Request
    file: BinaryIO


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Open:
    """Opens a stream of lines and results in a handle, or in an `Answer` if the service refuses."""

    request: Request
    keep: bool = False
    """Whether the stream stays open when the flow ends."""


@dataclass(frozen=True)
class NextLine:
    """Results in the next line; None when the stream has ended, broke, or was silent for too long."""

    lines: Any


Command = Union[Send, Save, Sleep, Open, NextLine]
Flow = Generator[Command, Any, T]


class EventParser:
    """Collects the lines of a server-sent event."""

    def __init__(self) -> None:
        self._fields: Dict[str, str] = {}

    def feed(self, line: str) -> Optional[Dict[str, str]]:
        """The fields of an event (`id`, `event`, `data`) when the line ends one."""
        if line == "":
            fields, self._fields = self._fields, {}
            return fields if "data" in fields else None
        name, _, value = line.partition(":")
        value = value[1:] if value.startswith(" ") else value
        if name == "data" and "data" in self._fields:
            value = f"{self._fields['data']}\n{value}"
        if name != "":
            self._fields[name] = value
        return None
