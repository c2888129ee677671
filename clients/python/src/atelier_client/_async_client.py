"""The client for asyncio."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, AsyncIterator, BinaryIO, Dict, List, Mapping, Optional, TypeVar, Union

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
from ._output import AsyncOutput, AsyncResult, save_to
from ._progress import progress_bar
from ._transport import TIMEOUT, AsyncLines, answer_of, arguments_of, async_pause, is_success

T = TypeVar("T")


class AsyncAtelier:
    """A client of the service, for asyncio.

    `api_key` and `base_url` default to the environment variables `ATELIER_API_KEY` and `ATELIER_BASE_URL`. Requests are
    retried up to `max_retries` times; a retry never creates or charges a generation twice.
    """

    def __init__(
        self,
        api_key: Optional[str] = None,
        base_url: Optional[str] = None,
        *,
        max_retries: int = DEFAULT_MAX_RETRIES,
        http_client: Optional[httpx.AsyncClient] = None,
    ) -> None:
        self._core = Core(api_key, base_url, max_retries)
        self._http = http_client or httpx.AsyncClient(timeout=TIMEOUT)
        self.models = Models(self)
        self.effects = Effects(self)
        self.quotes = Quotes(self)
        self.generations = Generations(self)
        self.uploads = Uploads(self)
        self.assets = Assets(self)
        self.account = Account(self)
        self.events = Events(self)

    async def __aenter__(self) -> AsyncAtelier:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def _run(self, flow: Flow[T]) -> T:
        """Carries out the commands of a flow."""
        opened: List[AsyncLines] = []
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
                        result = await self._send(command.request)
                    elif isinstance(command, Save):
                        result = await self._save(command.request, command.file)
                    elif isinstance(command, Sleep):
                        await async_pause(command.seconds)
                    elif isinstance(command, Open):
                        result = await self._open(command.request)
                        if isinstance(result, AsyncLines) and not command.keep:
                            opened.append(result)
                    elif isinstance(command, NextLine):
                        result = await command.lines.next_line()
                except httpx.HTTPError as error:
                    failure = ConnectionFailedError(f"No response from {error.request.url.host}: {error}")
                    failure.__cause__ = error
        finally:
            flow.close()
            for lines in opened:
                await lines.close()

    async def _send(self, request: Request) -> Answer:
        response = await self._http.request(**arguments_of(request))
        return answer_of(response, response.content)

    async def _save(self, request: Request, file: BinaryIO) -> Answer:
        file.seek(0)
        file.truncate()
        async with self._http.stream(**arguments_of(request), follow_redirects=True) as response:
            if not is_success(response):
                return answer_of(response, await response.aread())
            async for chunk in response.aiter_bytes():
                file.write(chunk)
            return answer_of(response, b"")

    async def _open(self, request: Request) -> Union[AsyncLines, Answer]:
        response = await self._http.send(self._http.build_request(**arguments_of(request)), stream=True)
        if is_success(response):
            return AsyncLines(response)
        try:
            return answer_of(response, await response.aread())
        finally:
            await response.aclose()


class Models:
    """The models that accept requests."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def list(
        self, *, task_type: Optional[str] = None, modality: Optional[str] = None, workspace: Optional[str] = None
    ) -> List[Model]:
        query = {"taskType": task_type, "modality": modality, "workspace": workspace}
        flow = self._client._core.fetch(ModelsResponse.from_json, "GET", "/v1/models", query=query)
        return (await self._client._run(flow)).models

    async def get(self, model_id: str) -> Model:
        return await self._client._run(self._client._core.fetch(Model.from_json, "GET", f"/v1/models/{model_id}"))


class Effects:
    """Style filters and templates."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def list(self) -> List[Effect]:
        flow = self._client._core.fetch(EffectsResponse.from_json, "GET", "/v1/effects")
        return (await self._client._run(flow)).effects


class Quotes:
    """Exact prices."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def create(
        self, model_id: str, params: Mapping[str, Any], *, effect_id: Optional[str] = None, draft: bool = False
    ) -> QuoteResponse:
        """The price that a generation with these params costs. Pass its `quote_token` to pay exactly that."""
        return await self._client._run(self._client._core.quote(model_id, params, effect_id, draft))


class Generations:
    """Paid requests to a model."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def run(
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
    ) -> AsyncResult:
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
            generation = await self._client._run(flow)
        return AsyncResult(generation, [AsyncOutput(asset, self._client.assets) for asset in generation.outputs])

    async def create(
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
        return await self._client._run(flow)

    async def wait(
        self,
        generation: Union[Generation, str],
        *,
        timeout_seconds: Optional[float] = None,
        on_progress: Optional[OnProgress] = None,
        progress: bool = False,
    ) -> Generation:
        """Waits until a generation has ended, however it ended."""
        if isinstance(generation, str):
            generation = await self.get(generation)
        with progress_bar(progress, on_progress) as tell:
            return await self._client._run(self._client._core.wait(generation, timeout_seconds, tell))

    async def get(self, generation_id: str) -> Generation:
        return await self._client._run(self._client._core.get(generation_id))

    async def list(
        self,
        *,
        status: Optional[str] = None,
        modality: Optional[str] = None,
        workspace: Optional[str] = None,
        model_id: Optional[str] = None,
        active: Optional[bool] = None,
        limit: int = 100,
    ) -> AsyncIterator[Generation]:
        """All generations, newest first. Reads pages of `limit` as you go on."""
        cursor: Optional[str] = None
        while True:
            page = await self.list_page(
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

    async def list_page(
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
        return await self._client._run(self._client._core.page(query))

    async def cancel(self, generation_id: str) -> Generation:
        """Cancels a queued generation and releases its coins."""
        return await self._client._run(self._client._core.cancel(generation_id))

    async def concurrency(self) -> Concurrency:
        flow = self._client._core.fetch(Concurrency.from_json, "GET", "/v1/generations/concurrency")
        return await self._client._run(flow)


class Uploads:
    """Input files."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def create(self, file: FileSource, *, on_upload: Optional[OnUpload] = None) -> Asset:
        """Uploads a file. Large files are sent in chunks, and go on after a broken connection."""
        return await self._client._run(self._client._core.upload(file, on_upload))


class Assets:
    """Uploads and outputs."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def get(self, asset_id: str) -> Asset:
        """An asset with new download links."""
        return await self._client._run(self._client._core.asset(asset_id))

    async def download(self, asset: Asset, to: Union[str, os.PathLike[str]]) -> Path:
        """Saves the file of an asset. `to` is a file, or a folder in which the file gets the asset's id as its name."""
        with save_to(asset, to) as (file, path):
            await self._client._run(self._client._core.download(asset, file))
        return path

    async def write(self, asset: Asset, file: BinaryIO) -> None:
        """Writes the file of an asset into an open, seekable file."""
        await self._client._run(self._client._core.download(asset, file))


class Account:
    """The account of the key."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def get(self) -> PublicAccount:
        return await self._client._run(self._client._core.fetch(PublicAccount.from_json, "GET", "/v1/account"))


class Events:
    """What happened: the events that webhooks carry, too."""

    def __init__(self, client: AsyncAtelier) -> None:
        self._client = client

    async def list(self, *, after: Optional[str] = None, limit: int = 100) -> AsyncIterator[WebhookEvent]:
        """The events after a position, oldest first."""
        while True:
            page = await self.list_page(after=after, limit=limit)
            for item in page.items:
                yield item
            after = page.next_after
            if not page.has_more:
                return

    async def list_page(self, *, after: Optional[str] = None, limit: Optional[int] = None) -> EventPage:
        """One page. Pass its `next_after` to get the events that follow."""
        return await self._client._run(self._client._core.event_page(after, limit))

    async def stream(self, *, after: Optional[str] = None) -> AsyncIterator[WebhookEvent]:
        """Waits for events and yields them as they come, without an end. Connects again where it was interrupted."""
        state = StreamState(after)
        try:
            while True:
                yield await self._client._run(self._client._core.next_event(state))
        finally:
            if state.lines is not None:
                await state.lines.close()
