"""Files to upload."""

from __future__ import annotations

import io
import os
import shutil
import tempfile
from pathlib import Path
from typing import BinaryIO, Union

FileSource = Union["os.PathLike[str]", bytes, bytearray, memoryview, BinaryIO]
"""A path, bytes, or a file opened in binary mode. A plain string is the id of an upload, never a path."""

MEMORY_BYTES = 16 * 1024 * 1024


def is_file(value: object) -> bool:
    return isinstance(value, (os.PathLike, bytes, bytearray, memoryview, io.IOBase)) or hasattr(value, "read")


class OpenFile:
    """A file that can be read from any offset, whatever it was given as."""

    def __init__(self, source: FileSource) -> None:
        self._close = True
        if isinstance(source, (bytes, bytearray, memoryview)):
            self._file: BinaryIO = io.BytesIO(source)
        elif isinstance(source, os.PathLike):
            self._file = Path(source).open("rb")  # noqa: SIM115 closed by close()
        elif source.seekable():
            self._file, self._close = source, False
        else:
            copy = tempfile.SpooledTemporaryFile(max_size=MEMORY_BYTES)  # noqa: SIM115 closed by close()
            shutil.copyfileobj(source, copy)
            self._file = copy  # type: ignore[assignment]
        self.size: int = self._file.seek(0, io.SEEK_END) or self._file.tell()

    def read(self, offset: int, size: int) -> bytes:
        self._file.seek(offset)
        return self._file.read(size)

    def close(self) -> None:
        if self._close:
            self._file.close()
