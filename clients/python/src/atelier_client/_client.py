"""The client that blocks. Generated from _async_client.py by tools/generate.py."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Iterator, BinaryIO, Dict, List, Mapping, Optional, TypeVar, Union

import httpx

from ._core import DEFAULT_MAX_RETRIES, Core, OnProgress, OnUpload, StreamState
from ._errors import ConnectionFailedError
from ._files import FileSource
from ._flow import Answer, Flow, NextLine, Open, Request, Save, Send, Sleep
from ._models import (
    Asset,
    Concurrency,
    Effect,
    EffectsResponse,
    EventPage,
    Generation,
    GenerationPage,
    Model,
    ModelsResponse,
    PublicAccount,
    QuoteResponse,
    WebhookEvent,
)
from ._output import Output, Result, save_to
from ._progress import progress_bar
from ._transport import TIMEOUT, Lines, answer_of, arguments_of, pause, is_success

T = TypeVar("T")


class Atelier:
    """A client of the service.

    `api_key` and `base_url` default to the environment variables `ATELIER_API_KEY` and `ATELIER_BASE_URL`. Requests are
    retried up to `max_retries` times; a retry never creates or charges a generation twice.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        max_retries: int = DEFAULT_MAX_RETRIES,
        http_client: Optional[httpx.Client] = None,
    ) -> None:
        self._core = Core(api_key, base_url, max_retries)
        self._http = http_client or httpx.Client(timeout=TIMEOUT)
        self.models = Models(self)
        self.effects = Effects(self)
        self.quotes = Quotes(self)
        self.generations = Generations(self)
        self.uploads = Uploads(self)
        self.assets = Assets(self)
        self.account = Account(self)
        self.events = Events(self)

    def __enter__(self) -> Atelier:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def _run(self, flow: Flow[T]) -> T:
        """Carries out the commands of a flow."""
        opened: List[Lines] = []
        failure: Optional[ConnectionFailedError] = None
        result: Any = None
        try:
            while True:
                try:
                    command = flow.send(result) if failure is None else flow.throw(failure)
                except StopIteration as end:
                    return end.value  # type: ignore[no-any-return]
                failure, result = None, None
                try:
                    if isinstance(command, Send):
                        result = self._send(command.request)
                    elif isinstance(command, Save):
                        result = self._save(command.request, command.file)
                    elif isinstance(command, Sleep):
                        pause(command.seconds)
                    elif isinstance(command, Open):
                        result = self._open(command.request)
                        if isinstance(result, Lines) and not command.keep:
                            opened.append(result)
                    elif isinstance(command, NextLine):
                        result = command.lines.next_line()
                except httpx.HTTPError as error:
                    failure = ConnectionFailedError(f"No response from {error.request.url.host}: {error}")
                    failure.__cause__ = error
        finally:
            flow.close()
            for lines in opened:
                lines.close()

    def _send(self, request: Request) -> Answer:
        response = self._http.request(**arguments_of(request))
        return answer_of(response, response.content)

    def _save(self, request: Request, file: BinaryIO) -> Answer:
        file.seek(0)
        file.truncate()
        with self._http.stream(**arguments_of(request), follow_redirects=True) as response:
            if not is_success(response):
                return answer_of(response, response.read())
            for chunk in response.iter_bytes():
                file.write(chunk)
            return answer_of(response, b"")

    def _open(self, request: Request) -> Union[Lines, Answer]:
        response = self._http.send(self._http.build_request(**arguments_of(request)), stream=True)
        if is_success(response):
            return Lines(response)
        try:
            return answer_of(response, response.read())
        finally:
            response.close()


class Models:
    """The models that accept requests."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def list(
        self, *, task_type: Optional[str] = None, modality: Optional[str] = None, workspace: Optional[str] = None
    ) -> List[Model]:
        query = {"taskType": task_type, "modality": modality, "workspace": workspace}
        flow = self._client._core.fetch(ModelsResponse.from_json, "GET", "/v1/models", query=query)
        return (self._client._run(flow)).models

    def get(self, model_id: str) -> Model:
        return self._client._run(self._client._core.fetch(Model.from_json, "GET", f"/v1/models/{model_id}"))


class Effects:
    """Style filters and templates."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def list(self) -> List[Effect]:
        flow = self._client._core.fetch(EffectsResponse.from_json, "GET", "/v1/effects")
        return (self._client._run(flow)).effects


class Quotes:
    """Exact prices."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def create(
        self, model_id: str, params: Mapping[str, Any], *, effect_id: Optional[str] = None, draft: bool = False
    ) -> QuoteResponse:
        """The price that a generation with these params costs. Pass its `quote_token` to pay exactly that."""
        return self._client._run(self._client._core.quote(model_id, params, effect_id, draft))


class Generations:
    """Paid requests to a model."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def run(
        self,
        model_id: str,
        params: Mapping[str, Any],
        *,
        max_coins: Optional[int] = None,
        quote_token: Optional[str] = None,
        effect_id: Optional[str] = None,
        project_id: Optional[str] = None,
        consent: bool = False,
        idempotency_key: Optional[str] = None,
        timeout_seconds: Optional[float] = None,
        on_progress: Optional[OnProgress] = None,
        on_upload: Optional[OnUpload] = None,
        progress: bool = False,
    ) -> Result:
        """Uploads the files among the params, creates a generation, and waits for its outputs.

        Pass files as `pathlib.Path`, bytes or open files. `max_coins` is the most that you pay. `progress=True` draws
        a bar with tqdm. Raises `GenerationFailedError` if the generation fails; its coins are refunded then.
        """
        with progress_bar(progress, on_progress) as tell:
            flow = self._client._core.run(
                model_id,
                params,
                max_coins=max_coins,
                quote_token=quote_token,
                effect_id=effect_id,
                project_id=project_id,
                consent=consent,
                idempotency_key=idempotency_key,
                timeout_seconds=timeout_seconds,
                on_progress=tell,
                on_upload=on_upload,
            )
            generation = self._client._run(flow)
        return Result(generation, [Output(asset, self._client.assets) for asset in generation.outputs])

    def create(
        self,
        model_id: str,
        params: Mapping[str, Any],
        *,
        max_coins: Optional[int] = None,
        quote_token: Optional[str] = None,
        effect_id: Optional[str] = None,
        project_id: Optional[str] = None,
        consent: bool = False,
        idempotency_key: Optional[str] = None,
    ) -> Generation:
        """Creates a generation, once: all retries use the same idempotency key."""
        flow = self._client._core.create(
            model_id,
            params,
            max_coins=max_coins,
            quote_token=quote_token,
            effect_id=effect_id,
            project_id=project_id,
            consent=consent,
            idempotency_key=idempotency_key,
        )
        return self._client._run(flow)

    def wait(
        self,
        generation: Union[Generation, str],
        *,
        timeout_seconds: Optional[float] = None,
        on_progress: Optional[OnProgress] = None,
        progress: bool = False,
    ) -> Generation:
        """Waits until a generation has ended, however it ended."""
        if isinstance(generation, str):
            generation = self.get(generation)
        with progress_bar(progress, on_progress) as tell:
            return self._client._run(self._client._core.wait(generation, timeout_seconds, tell))

    def get(self, generation_id: str) -> Generation:
        return self._client._run(self._client._core.get(generation_id))

    def list(
        self,
        *,
        status: Optional[str] = None,
        modality: Optional[str] = None,
        workspace: Optional[str] = None,
        model_id: Optional[str] = None,
        active: Optional[bool] = None,
        limit: int = 100,
    ) -> Iterator[Generation]:
        """All generations, newest first. Reads pages of `limit` as you go on."""
        cursor: Optional[str] = None
        while True:
            page = self.list_page(
                cursor=cursor,
                status=status,
                modality=modality,
                workspace=workspace,
                model_id=model_id,
                active=active,
                limit=limit,
            )
            for item in page.items:
                yield item
            cursor = page.next_cursor
            if cursor is None:
                return

    def list_page(
        self,
        *,
        cursor: Optional[str] = None,
        status: Optional[str] = None,
        modality: Optional[str] = None,
        workspace: Optional[str] = None,
        model_id: Optional[str] = None,
        active: Optional[bool] = None,
        limit: Optional[int] = None,
    ) -> GenerationPage:
        query: Dict[str, Any] = {
            "cursor": cursor,
            "status": status,
            "modality": modality,
            "workspace": workspace,
            "modelId": model_id,
            "active": active,
            "limit": limit,
        }
        return self._client._run(self._client._core.page(query))

    def cancel(self, generation_id: str) -> Generation:
        """Cancels a queued generation and releases its coins."""
        return self._client._run(self._client._core.cancel(generation_id))

    def concurrency(self) -> Concurrency:
        flow = self._client._core.fetch(Concurrency.from_json, "GET", "/v1/generations/concurrency")
        return self._client._run(flow)


class Uploads:
    """Input files."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def create(self, file: FileSource, *, on_upload: Optional[OnUpload] = None) -> Asset:
        """Uploads a file. Large files are sent in chunks, and go on after a broken connection."""
        return self._client._run(self._client._core.upload(file, on_upload))


class Assets:
    """Uploads and outputs."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def get(self, asset_id: str) -> Asset:
        """An asset with new download links."""
        return self._client._run(self._client._core.asset(asset_id))

    def download(self, asset: Asset, to: Union[str, os.PathLike[str]]) -> Path:
        """Saves the file of an asset. `to` is a file, or a folder in which the file gets the asset's id as its name."""
        with save_to(asset, to) as (file, path):
            self._client._run(self._client._core.download(asset, file))
        return path

    def write(self, asset: Asset, file: BinaryIO) -> None:
        """Writes the file of an asset into an open, seekable file."""
        self._client._run(self._client._core.download(asset, file))


class Account:
    """The account of the key."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def get(self) -> PublicAccount:
        return self._client._run(self._client._core.fetch(PublicAccount.from_json, "GET", "/v1/account"))


class Events:
    """What happened: the events that webhooks carry, too."""

    def __init__(self, client: Atelier) -> None:
        self._client = client

    def list(self, *, after: Optional[str] = None, limit: int = 100) -> Iterator[WebhookEvent]:
        """The events after a position, oldest first."""
        while True:
            page = self.list_page(after=after, limit=limit)
            for item in page.items:
                yield item
            after = page.next_after
            if not page.has_more:
                return

    def list_page(self, *, after: Optional[str] = None, limit: Optional[int] = None) -> EventPage:
        """One page. Pass its `next_after` to get the events that follow."""
        return self._client._run(self._client._core.event_page(after, limit))

    def stream(self, *, after: Optional[str] = None) -> Iterator[WebhookEvent]:
        """Waits for events and yields them as they come, without an end. Connects again where it was interrupted."""
        state = StreamState(after)
        try:
            while True:
                yield self._client._run(self._client._core.next_event(state))
        finally:
            if state.lines is not None:
                state.lines.close()
