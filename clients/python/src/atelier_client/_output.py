"""The outputs of a generation, which notebooks display."""

from __future__ import annotations

import base64
import io
import mimetypes
import os
from contextlib import contextmanager
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import BinaryIO, Iterator, List, Optional, Protocol, Tuple, Union

from ._models import Asset, Generation

# What the tables of Python versions do not agree on.
EXTENSIONS = {
    "audio/mp4": ".m4a",
    "audio/mpeg": ".mp3",
    "audio/ogg": ".ogg",
    "audio/wav": ".wav",
    "image/webp": ".webp",
    "model/gltf-binary": ".glb",
    "text/plain": ".txt",
    "video/quicktime": ".mov",
}

MAX_INLINE_BYTES = 16 * 1024 * 1024
"""A notebook keeps what it displays: larger files are shown by their link."""


def extension_of(mime_type: str) -> str:
    return EXTENSIONS.get(mime_type) or mimetypes.guess_extension(mime_type) or ""


@contextmanager
def save_to(asset: Asset, to: Union[str, os.PathLike[str]]) -> Iterator[Tuple[BinaryIO, Path]]:
    """A file to write to. It gets its name when it is complete, so that no half of it stays behind."""
    path = Path(to)
    if path.is_dir():
        path = path / f"{asset.id}{extension_of(asset.mime_type)}"
    part = path.with_name(path.name + ".part")
    try:
        with part.open("w+b") as file:
            yield file, path
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


class Files(Protocol):
    """What an output asks of the client that made it."""

    def write(self, asset: Asset, file: BinaryIO) -> None: ...

    def download(self, asset: Asset, to: Union[str, os.PathLike[str]]) -> Path: ...


class AsyncFiles(Protocol):
    """What an output asks of the client that made it."""

    async def write(self, asset: Asset, file: BinaryIO) -> None: ...

    async def download(self, asset: Asset, to: Union[str, os.PathLike[str]]) -> Path: ...


class _Shown:
    """What a notebook displays: pictures as they are, sound and video with their controls."""

    asset: Asset

    def _bytes(self) -> Optional[bytes]:
        raise NotImplementedError

    def _is(self, mime_type: str) -> Optional[bytes]:
        return self._bytes() if self.asset.mime_type == mime_type else None

    def _repr_png_(self) -> Optional[bytes]:
        return self._is("image/png")

    def _repr_jpeg_(self) -> Optional[bytes]:
        return self._is("image/jpeg")

    def _repr_html_(self) -> Optional[str]:
        kind, mime_type = self.asset.kind, self.asset.mime_type
        if mime_type in ("image/png", "image/jpeg"):
            return None
        if kind not in ("image", "video", "audio"):
            return f'<a href="{escape(self.asset.url)}">{escape(self.asset.id)} ({escape(mime_type)})</a>'
        body = self._bytes()
        source = escape(self.asset.url)
        if body is not None and len(body) <= MAX_INLINE_BYTES:
            source = f"data:{escape(mime_type)};base64,{base64.b64encode(body).decode()}"
        if kind == "image":
            return f'<img src="{source}" alt="">'
        return f'<{kind} controls src="{source}"></{kind}>'


class Output(_Shown):
    """One file that a generation made."""

    def __init__(self, asset: Asset, assets: Files) -> None:
        self.asset = asset
        self._assets = assets
        self._kept: Optional[bytes] = None

    def __repr__(self) -> str:
        return f"Output(id={self.asset.id!r}, mime_type={self.asset.mime_type!r})"

    def read(self) -> bytes:
        """The content of the file."""
        if self._kept is None:
            file = io.BytesIO()
            self._assets.write(self.asset, file)
            self._kept = file.getvalue()
        return self._kept

    def download(self, to: Union[str, os.PathLike[str]] = ".") -> Path:
        """Saves the file. `to` is a file, or a folder in which the file gets the asset's id as its name."""
        return self._assets.download(self.asset, to)

    def _bytes(self) -> Optional[bytes]:
        return self.read()


class AsyncOutput(_Shown):
    """One file that a generation made. A notebook displays it after `await output.read()`."""

    def __init__(self, asset: Asset, assets: AsyncFiles) -> None:
        self.asset = asset
        self._assets = assets
        self._kept: Optional[bytes] = None

    def __repr__(self) -> str:
        return f"AsyncOutput(id={self.asset.id!r}, mime_type={self.asset.mime_type!r})"

    async def read(self) -> bytes:
        """The content of the file."""
        if self._kept is None:
            file = io.BytesIO()
            await self._assets.write(self.asset, file)
            self._kept = file.getvalue()
        return self._kept

    async def download(self, to: Union[str, os.PathLike[str]] = ".") -> Path:
        """Saves the file. `to` is a file, or a folder in which the file gets the asset's id as its name."""
        return await self._assets.download(self.asset, to)

    def _bytes(self) -> Optional[bytes]:
        return self._kept


@dataclass(frozen=True)
class Result:
    """A generation that succeeded, and its outputs."""

    generation: Generation
    outputs: List[Output]


@dataclass(frozen=True)
class AsyncResult:
    """A generation that succeeded, and its outputs."""

    generation: Generation
    outputs: List[AsyncOutput]
