"""The operations of the API, as flows for both clients."""

from __future__ import annotations

import json
import os
import random
import time
import uuid
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Callable, Dict, List, Mapping, Optional, TypeVar

from ._errors import (
    ApiError,
    AtelierError,
    ConnectionFailedError,
    GenerationCanceledError,
    GenerationFailedError,
    WaitTimeoutError,
)
from ._files import FileSource, OpenFile, is_file
from ._flow import Answer, EventParser, Flow, NextLine, Open, Request, Save, Send, Sleep
from ._models import (
    Asset,
    EventPage,
    Generation,
    GenerationPage,
    GenerationStatus,
    QuoteResponse,
    ResumableUpload,
    WebhookEvent,
)
from ._retry import FIRST_DELAY_SECONDS, delay_before, is_retryable, to_error
from ._version import VERSION

T = TypeVar("T")

DEFAULT_MAX_RETRIES = 5
POLL_SECONDS = 2.0
"""The service asks not to poll faster."""
STREAM_SILENCE_SECONDS = 40.0
"""The stream sends a comment every 15 seconds."""
SINGLE_UPLOAD_BYTES = 8 * 1024 * 1024
"""Larger files are sent in chunks, so that a broken connection costs one chunk."""

ENDED = ("succeeded", "failed", "canceled")


@dataclass(frozen=True)
class Progress:
    """Where a generation is."""

    status: GenerationStatus
    progress: Optional[float]
    """0 to 1, if the model reports it."""
    queue_position: Optional[int]


OnProgress = Callable[[Progress], None]
OnUpload = Callable[[int, int], None]
"""Called with the bytes sent and the bytes in total."""


@dataclass
class StreamState:
    """Where a stream of events is, so that it goes on there after a broken connection."""

    after: Optional[str]
    lines: Any = None
    parser: Optional[EventParser] = None
    failures: int = 0


class Core:
    def __init__(self, api_key: Optional[str], base_url: Optional[str], max_retries: int) -> None:
        base_url = base_url or os.environ.get("ATELIER_BASE_URL")
        if not base_url:
            raise ValueError("Pass base_url, or set ATELIER_BASE_URL to the address of the service.")
        self.base_url = base_url.rstrip("/")
        self._api_key = api_key or os.environ.get("ATELIER_API_KEY")
        self.max_retries = max_retries

    # Requests

    def headers(self) -> Dict[str, str]:
        headers = {"user-agent": f"atelier-python/{VERSION}"}
        if self._api_key:
            headers["authorization"] = f"Bearer {self._api_key}"
        return headers

    def build(self, method: str, path: str, **parts: Any) -> Request:
        headers = {**self.headers(), **parts.pop("headers", {})}
        query = {name: value for name, value in parts.pop("query", {}).items() if value is not None}
        return Request(method, self.base_url + path, headers=headers, query=query, **parts)

    def send(self, request: Request, max_retries: Optional[int] = None) -> Flow[Answer]:
        """Retries lost connections, 408, 429 and 5xx."""
        limit = self.max_retries if max_retries is None else max_retries
        for attempt in range(limit + 1):
            try:
                answer: Answer = yield Send(request)
                if answer.status < 400:
                    return answer
                raise to_error(answer)
            except AtelierError as error:
                if attempt == limit or not is_retryable(error):
                    raise
                yield Sleep(delay_before(attempt, error))
        raise AssertionError("unreachable")

    def fetch(self, read: Callable[[Dict[str, Any]], T], method: str, path: str, **parts: Any) -> Flow[T]:
        answer = yield from self.send(self.build(method, path, **parts))
        return read(json.loads(answer.body))

    # Generations

    def quote(
        self, model_id: str, params: Mapping[str, Any], effect_id: Optional[str], draft: bool
    ) -> Flow[QuoteResponse]:
        body = without_none({"modelId": model_id, "params": dict(params), "effectId": effect_id})
        if draft:
            body["draft"] = True
        return (yield from self.fetch(QuoteResponse.from_json, "POST", "/v1/quotes", json=body))

    def create(
        self,
        model_id: str,
        params: Mapping[str, Any],
        *,
        max_coins: Optional[int],
        quote_token: Optional[str],
        effect_id: Optional[str],
        project_id: Optional[str],
        consent: bool,
        idempotency_key: Optional[str],
    ) -> Flow[Generation]:
        if (max_coins is None) == (quote_token is None):
            raise ValueError("Pass either max_coins or quote_token: it is the most that you pay.")
        body = without_none(
            {
                "modelId": model_id,
                "params": dict(params),
                "maxCoins": max_coins,
                "quoteToken": quote_token,
                "effectId": effect_id,
                "projectId": project_id,
                "consent": True if consent else None,
            }
        )
        # One key for all attempts, so that a retry after a lost response cannot pay twice.
        key = idempotency_key or uuid.uuid4().hex
        headers = {"idempotency-key": key}
        return (yield from self.fetch(Generation.from_json, "POST", "/v1/generations", json=body, headers=headers))

    def get(self, generation_id: str) -> Flow[Generation]:
        return (yield from self.fetch(Generation.from_json, "GET", f"/v1/generations/{generation_id}"))

    def page(self, query: Mapping[str, Any]) -> Flow[GenerationPage]:
        return (yield from self.fetch(GenerationPage.from_json, "GET", "/v1/generations", query=query))

    def cancel(self, generation_id: str) -> Flow[Generation]:
        try:
            return (yield from self.fetch(Generation.from_json, "POST", f"/v1/generations/{generation_id}/cancel"))
        except ApiError as error:
            if error.code != "not_cancelable":
                raise
            # The response to the first attempt may have been lost.
            generation = yield from self.get(generation_id)
            if generation.status == "canceled":
                return generation
            raise

    def wait(
        self, generation: Generation, timeout_seconds: Optional[float], on_progress: Optional[OnProgress]
    ) -> Flow[Generation]:
        """Follows the event stream while it is open, else polls."""
        ends_at = None if timeout_seconds is None else time.monotonic() + timeout_seconds
        told: List[Progress] = []

        def tell(status: str, progress: Optional[float], queue_position: Optional[int]) -> None:
            now = Progress(status, progress, queue_position)
            if on_progress is not None and told[-1:] != [now]:
                told[:] = [now]
                on_progress(now)

        def left() -> float:
            if ends_at is None:
                return STREAM_SILENCE_SECONDS
            seconds = ends_at - time.monotonic()
            if seconds <= 0:
                raise WaitTimeoutError(generation)
            return min(seconds, STREAM_SILENCE_SECONDS)

        def tell_all() -> bool:
            tell(generation.status, generation.progress, generation.queue_position)
            return generation.status in ENDED

        if tell_all():
            return generation
        lines = None
        with suppress(ConnectionFailedError):
            lines = yield Open(self.stream_request(None, left()))
        # It may have ended before the stream was open.
        generation = yield from self.get(generation.id)
        if not isinstance(lines, Answer) and lines is not None:
            parser = EventParser()
            while not tell_all():
                left()
                line = yield NextLine(lines)
                if line is None:
                    break
                event = parser.feed(line)
                if event is None:
                    continue
                data = json.loads(event["data"])
                if event.get("event") == "generation.progress":
                    if data.get("id") == generation.id:
                        tell(data["status"], data["progress"], data["queuePosition"])
                elif data["data"]["generation"]["id"] == generation.id:
                    generation = WebhookEvent.from_json(data).data.generation
        while not tell_all():
            yield Sleep(min(left(), POLL_SECONDS * (1 + random.random() / 2)))
            left()
            generation = yield from self.get(generation.id)
        return generation

    def run(
        self,
        model_id: str,
        params: Mapping[str, Any],
        *,
        timeout_seconds: Optional[float],
        on_progress: Optional[OnProgress],
        on_upload: Optional[OnUpload],
        **options: Any,
    ) -> Flow[Generation]:
        """Uploads the files among the params, creates the generation and waits for its end."""
        sent: Dict[str, Any] = {}
        for name, value in params.items():
            if isinstance(value, (list, tuple)):
                sent[name] = []
                for each in value:
                    sent[name].append((yield from self._to_id(each, on_upload)))
            else:
                sent[name] = yield from self._to_id(value, on_upload)
        generation = yield from self.create(model_id, sent, **options)
        generation = yield from self.wait(generation, timeout_seconds, on_progress)
        if generation.status == "failed":
            raise GenerationFailedError(generation)
        if generation.status == "canceled":
            raise GenerationCanceledError(generation)
        return generation

    def _to_id(self, value: Any, on_upload: Optional[OnUpload]) -> Flow[Any]:
        if not is_file(value):
            return value
        return (yield from self.upload(value, on_upload)).id

    # Files

    def upload(self, source: FileSource, on_upload: Optional[OnUpload]) -> Flow[Asset]:
        file = OpenFile(source)
        try:
            if file.size <= SINGLE_UPLOAD_BYTES:
                asset = yield from self.fetch(Asset.from_json, "POST", "/v1/uploads", file=file.read(0, file.size))
                if on_upload is not None:
                    on_upload(file.size, file.size)
                return asset
            return (yield from self._upload_chunks(file, on_upload))
        finally:
            file.close()

    def _upload_chunks(self, file: OpenFile, on_upload: Optional[OnUpload]) -> Flow[Asset]:
        body = {"bytes": file.size}
        state = yield from self.fetch(ResumableUpload.from_json, "POST", "/v1/uploads/resumable", json=body)
        path = f"/v1/uploads/resumable/{state.id}"
        failures = 0
        while state.offset < file.size:
            chunk = file.read(state.offset, state.chunk_bytes)
            request = self.build(
                "PUT",
                path,
                content=chunk,
                query={"offset": state.offset},
                headers={"content-type": "application/octet-stream"},
            )
            try:
                answer = yield from self.send(request, max_retries=0)
                state = ResumableUpload.from_json(json.loads(answer.body))
                failures = 0
            except AtelierError as error:
                before = state.offset
                refused = isinstance(error, ApiError) and not is_retryable(error)
                if not refused:
                    failures += 1
                    if failures > self.max_retries:
                        raise
                    yield Sleep(delay_before(failures - 1, error))
                # The chunk may have arrived although its response was lost.
                state = yield from self.fetch(ResumableUpload.from_json, "GET", path)
                if refused and state.offset == before:
                    raise
            if on_upload is not None:
                on_upload(state.offset, file.size)
        return (yield from self.fetch(Asset.from_json, "POST", f"{path}/complete"))

    def asset(self, asset_id: str) -> Flow[Asset]:
        return (yield from self.fetch(Asset.from_json, "GET", f"/v1/assets/{asset_id}"))

    def download(self, asset: Asset, file: BinaryIO) -> Flow[None]:
        """Links are short-lived: a refused one is replaced once."""
        for fresh in (False, True):
            # The link is signed; the key stays with the API.
            request = Request("GET", asset.url)
            for attempt in range(self.max_retries + 1):
                try:
                    answer: Answer = yield Save(request, file)
                    if answer.status < 400:
                        return
                    if answer.status in (403, 404, 410) and not fresh:
                        break
                    raise to_error(answer)
                except AtelierError as error:
                    if attempt == self.max_retries or not is_retryable(error):
                        raise
                    yield Sleep(delay_before(attempt, error))
            asset = yield from self.asset(asset.id)

    # Events

    def event_page(self, after: Optional[str], limit: Optional[int]) -> Flow[EventPage]:
        query = {"after": after, "limit": limit}
        return (yield from self.fetch(EventPage.from_json, "GET", "/v1/events", query=query))

    def stream_request(self, after: Optional[str], silence_seconds: float) -> Request:
        headers = {"accept": "text/event-stream"}
        query = {"after": after}
        return self.build("GET", "/v1/events/stream", headers=headers, query=query, silence_seconds=silence_seconds)

    def next_event(self, state: StreamState) -> Flow[WebhookEvent]:
        """Waits for the next event, and connects again where the last one ended."""
        while True:
            if state.lines is None:
                request = self.stream_request(state.after, STREAM_SILENCE_SECONDS)
                try:
                    opened = yield Open(request, keep=True)
                    if isinstance(opened, Answer):
                        raise to_error(opened)
                except AtelierError as error:
                    if state.failures >= self.max_retries or not is_retryable(error):
                        raise
                    yield Sleep(delay_before(state.failures, error))
                    state.failures += 1
                    continue
                state.lines, state.parser = opened, EventParser()
            line = yield NextLine(state.lines)
            if line is None:
                state.lines = None
                yield Sleep(FIRST_DELAY_SECONDS)
                continue
            event = state.parser.feed(line) if state.parser is not None else None
            if event is None or event.get("event") == "generation.progress":
                continue
            state.failures = 0
            state.after = event.get("id", state.after)
            return WebhookEvent.from_json(json.loads(event["data"]))


def without_none(body: Dict[str, Any]) -> Dict[str, Any]:
    return {name: value for name, value in body.items() if value is not None}
