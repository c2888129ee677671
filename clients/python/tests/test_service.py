"""Tests against a running sandbox: `npm run sandbox` writes the file that describes it."""

from __future__ import annotations

import asyncio
import json
import os
import re
import shutil
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Dict, List

import pytest

from atelier_client import (
    AsyncAtelier,
    Atelier,
    GenerationFailedError,
    InsufficientCoinsError,
    InvalidSignatureError,
    WebhookEvent,
    webhooks,
)

from .fault_proxy import FaultProxy, address_of
from .scripted_server import Reply, ScriptedServer

ROOT = Path(__file__).resolve().parents[3]
FIXTURE = Path(os.environ.get("ATELIER_FIXTURE", ROOT / ".sandbox.json"))
PICTURE = ROOT / "gallery" / "inputs"
# `npm run soak` sets the size.
CREATES = 1_000 if os.environ.get("TEST_SIZE") == "full" else 200
PNG = b"\x89PNG\r\n\x1a\n"

if not FIXTURE.exists():
    pytest.skip("no sandbox runs", allow_module_level=True)

sandbox = json.loads(FIXTURE.read_text())
MODEL = sandbox["models"]["image"]


@pytest.fixture
def client() -> Any:
    with Atelier(sandbox["keys"]["full"], sandbox["baseUrl"]) as made:
        yield made


def picture() -> Path:
    return next(path for path in sorted(PICTURE.iterdir()) if path.suffix in (".jpg", ".png"))


def test_a_generation_from_price_to_file(client: Atelier, tmp_path: Path) -> None:
    params = {"prompt": "a lake", "num_outputs": 2}
    quote = client.quotes.create(MODEL, params)
    told: List[str] = []
    result = client.generations.run(
        MODEL,
        params,
        quote_token=quote.quote_token,
        on_progress=lambda now: told.append(now.status),
        timeout_seconds=60,
    )
    assert result.generation.coins_charged == quote.coins
    assert len(result.outputs) == 2
    assert told[-1] == "succeeded"
    for output in result.outputs:
        path = output.download(tmp_path)
        assert path.read_bytes() == output.read()
        assert path.suffix == (".png" if output.asset.mime_type == "image/png" else path.suffix)
        shown = output._repr_png_() or output._repr_jpeg_() or output._repr_html_()
        assert shown


def test_a_file_is_uploaded_and_used(client: Atelier) -> None:
    sent: List[int] = []
    result = client.generations.run(
        sandbox["models"]["imageInput"],
        {"image": picture()},
        max_coins=1_000,
        on_upload=lambda done, total: sent.append(done),
        timeout_seconds=120,
    )
    assert sent[-1] == picture().stat().st_size
    assert client.assets.get(result.generation.params["image"]).kind == "image"


def test_the_rest_of_the_surface(client: Atelier) -> None:
    models = client.models.list(modality="image")
    assert {model.modality for model in models} == {"image"}
    assert client.models.get(MODEL).id == MODEL
    assert client.effects.list()
    account = client.account.get()
    assert account.key is not None
    assert account.channel == "api"
    assert client.generations.concurrency().limit > 0
    created = client.generations.create(MODEL, {"prompt": "sim:ok:1"}, max_coins=100)
    assert client.generations.wait(created, timeout_seconds=60).status == "succeeded"
    assert client.generations.get(created.id).id == created.id
    assert next(client.generations.list(status="succeeded")).status == "succeeded"
    assert any(event.data.generation.id == created.id for event in client.events.list())


def test_a_failed_generation_raises_and_costs_nothing(client: Atelier) -> None:
    with pytest.raises(GenerationFailedError) as raised:
        client.generations.run(MODEL, {"prompt": "sim:fail:content_policy"}, max_coins=100, timeout_seconds=60)
    assert raised.value.code == "content_policy"
    assert raised.value.generation.coins_charged == 0
    with Atelier(sandbox["keys"]["poor"], sandbox["baseUrl"]) as poor, pytest.raises(InsufficientCoinsError):
        poor.generations.create(MODEL, {"prompt": "x"}, max_coins=100)


def test_the_stream_yields_events_as_they_come(client: Atelier) -> None:
    page = client.events.list_page(limit=1)
    while page.has_more:
        page = client.events.list_page(after=page.next_after, limit=100)
    stream = client.events.stream(after=page.next_after)
    created = client.generations.create(MODEL, {"prompt": "sim:ok:1"}, max_coins=100)
    ids = iter(event.data.generation.id for event in stream)
    assert created.id in (next(ids) for _ in range(100))
    stream.close()  # type: ignore[attr-defined]


def test_asyncio_runs_several_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with AsyncAtelier(sandbox["keys"]["full"], sandbox["baseUrl"]) as client:
            runs = [
                client.generations.run(MODEL, {"prompt": f"lake {n}"}, max_coins=100, timeout_seconds=120)
                for n in range(8)
            ]
            results = await asyncio.gather(*runs)
            assert len({result.generation.id for result in results}) == 8
            path = await results[0].outputs[0].download(tmp_path)
            assert path.stat().st_size > 0
            listed = [each async for each in client.generations.list(limit=50)]
            assert len(listed) >= 8

    asyncio.run(main())


def test_a_thousand_creates_over_a_broken_network_are_a_thousand_generations() -> None:
    """Half by the blocking client in threads, half by the asynchronous one. The account is used by no other test."""
    key, project = sandbox["keys"]["other"], f"python-{uuid.uuid4().hex}"
    with Atelier(key, sandbox["baseUrl"]) as direct:
        price = direct.quotes.create(MODEL, {"prompt": "sim:ok:1"}).coins
        before = direct.account.get().balance.available

        async def main() -> List[str]:
            async with FaultProxy(*address_of(sandbox["baseUrl"]), seed=7) as proxy:
                ids = await create_all(proxy.url, key, project)
                print(dict(proxy.faults))
                assert set(proxy.faults) == {"none", "lost", "reset", "busy", "down", "drip", "twice"}
                return ids

        ids = asyncio.run(main())
        after = direct.account.get().balance.available
        made = [each for each in direct.generations.list() if each.project_id == project]
    assert len(set(ids)) == CREATES
    assert {each.id for each in made} == set(ids)
    assert len(made) == CREATES
    assert before - after == CREATES * price


async def create_all(url: str, key: str, project: str) -> List[str]:
    options: Any = {"max_coins": 100, "project_id": project}
    params = {"prompt": "sim:ok:1"}
    loop = asyncio.get_running_loop()
    local = threading.local()

    def create_blocking(_: int) -> str:
        if not hasattr(local, "client"):
            local.client = Atelier(key, url, max_retries=30)
        return str(local.client.generations.create(MODEL, params, **options).id)

    async with AsyncAtelier(key, url, max_retries=30) as client:
        turns = asyncio.Semaphore(64)

        async def create() -> str:
            async with turns:
                return (await client.generations.create(MODEL, params, **options)).id

        with ThreadPoolExecutor(64) as threads:
            blocking = [loop.run_in_executor(threads, create_blocking, n) for n in range(CREATES // 2)]
            return [*await asyncio.gather(*(create() for _ in range(CREATES // 2))), *await asyncio.gather(*blocking)]


def test_a_real_delivery_unwraps(client: Atelier) -> None:
    hook = sandbox["webhook"]
    with ScriptedServer(Reply(200, {}), port=hook["port"]) as receiver:
        created = client.generations.create(MODEL, {"prompt": "sim:ok:1"}, max_coins=100)
        ends_at = time.monotonic() + 60
        while time.monotonic() < ends_at:
            mine = [seen for seen in receiver.seen if seen.path == hook["path"] and created.id.encode() in seen.body]
            if mine:
                break
            time.sleep(0.1)
    signature = mine[0].headers[f"{sandbox['headerPrefix']}-signature".lower()]
    event = webhooks.unwrap(mine[0].body, signature, hook["secret"])
    assert isinstance(event, WebhookEvent)
    assert event.data.generation.id == created.id
    with pytest.raises(InvalidSignatureError):
        webhooks.unwrap(mine[0].body + b" ", signature, hook["secret"])


def test_the_code_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the live key, so that the pictures are real."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATELIER_BASE_URL", sandbox["baseUrl"])
    monkeypatch.setenv("ATELIER_API_KEY", sandbox["liveKey"])
    shutil.copy(picture(), tmp_path / "photo.jpg")
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", readme, re.DOTALL)
    assert len(blocks) > 4
    scope: Dict[str, Any] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), scope)
    made = sorted(path.name for path in tmp_path.iterdir() if path.name != "photo.jpg")
    assert "lake.png" in made
    assert len(made) == 2
