"""A progress bar with tqdm, which is optional."""

from __future__ import annotations

from contextlib import contextmanager
from typing import Iterator, Optional

from ._core import OnProgress, Progress


@contextmanager
def progress_bar(wanted: bool, on_progress: Optional[OnProgress]) -> Iterator[Optional[OnProgress]]:
    """What to call with the progress: draws a bar if it is wanted, and calls the function of the user."""
    if not wanted:
        yield on_progress
        return
    try:
        from tqdm.auto import tqdm
    except ImportError as error:
        raise ImportError("progress=True needs tqdm: pip install 'atelier-client[progress]'") from error
    with tqdm(total=100, bar_format="{desc}: {percentage:3.0f}%|{bar}| {elapsed}") as bar:

        def tell(now: Progress) -> None:
            place = "" if now.queue_position is None else f", position {now.queue_position}"
            bar.set_description(f"{now.status}{place}")
            bar.n = 100 if now.status == "succeeded" else round((now.progress or 0) * 100)
            bar.refresh()
            if on_progress is not None:
                on_progress(now)

        yield tell
