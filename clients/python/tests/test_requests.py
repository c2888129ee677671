import asyncio
import time
from pathlib import Path
from typing import Any, Callable, List

import pytest

import atelier_client._client as sync_client
from atelier_client import (
    ApiError,
    AsyncAtelier,
    Atelier,
    ConnectionFailedError,
    GenerationFailedError,
    IdempotencyConflictError,
    InvalidParamsError,
    WaitTimeoutError,
)

from .scripted_server import Reply, ScriptedServer, Seen, generation, problem

CREATED = Reply(201, generation())


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> List[float]:
    """The pauses of the blocking client, which do not last."""
    asked: List[float] = []
    monkeypatch.setattr(sync_client, "pause", asked.append)
    return asked


@pytest.mark.parametrize(
    "fault",
    [
        Reply(cut_after=0),
        Reply(201, generation(), cut_after=20),
        Reply(503, problem("unavailable", 503)),
        Reply(429, problem("rate_limited", 429), {"retry-after": "7"}),
        Reply(408, problem("internal", 408)),
        Reply(502, b"<html>Bad gateway</html>", {"content-type": "text/html"}),
    ],
)
def test_create_retries_with_the_same_key(fault: Reply, pauses: List[float]) -> None:
    with ScriptedServer(fault, fault, CREATED) as server, Atelier("key", server.url) as client:
        created = client.generations.create("canvas", {"prompt": "a lake"}, max_coins=4)
    assert created.status == "queued"
    keys = [seen.headers["idempotency-key"] for seen in server.seen]
    assert len(keys) == 3
    assert len(set(keys)) == 1
    assert len({seen.body for seen in server.seen}) == 1
    assert [seen.headers["authorization"] for seen in server.seen] == ["Bearer key"] * 3
    assert len(pauses) == 2
    assert min(pauses) >= (7 if fault.status == 429 else 0.25)


def test_a_conflict_is_not_retried(pauses: List[float]) -> None:
    with ScriptedServer(Reply(409, problem("idempotency_conflict", 409))) as server, Atelier("k", server.url) as client:
        with pytest.raises(IdempotencyConflictError):
            client.generations.create("canvas", {}, max_coins=4, idempotency_key="k" * 16)
    assert len(server.seen) == 1
    assert pauses == []


def test_the_number_of_retries_and_the_longest_pause_are_limited(pauses: List[float]) -> None:
    with ScriptedServer(Reply(cut_after=0)) as server, Atelier("k", server.url, max_retries=2) as client:
        with pytest.raises(ConnectionFailedError, match=r"127\.0\.0\.1"):
            client.account.get()
        assert len(server.seen) == 3
    slow = Reply(429, problem("rate_limited", 429), {"retry-after": "3600"})
    with ScriptedServer(slow) as server, Atelier("k", server.url) as client, pytest.raises(ApiError) as raised:
        client.account.get()
    assert raised.value.retry_after == 3600
    assert len(server.seen) == 1


def test_errors_say_what_is_wrong() -> None:
    issues = [{"path": "params.seed", "message": "Must be an integer."}]
    reply = Reply(400, problem("invalid_params", 400, issues=issues, instance="req-1"))
    with ScriptedServer(reply) as server, Atelier("secret-key", server.url) as client:
        with pytest.raises(InvalidParamsError) as raised:
            client.quotes.create("canvas", {"seed": "x"})
    assert str(raised.value) == "Title: Detail.\n  params.seed: Must be an integer.\n  request id: req-1"
    assert (raised.value.code, raised.value.status, raised.value.request_id) == ("invalid_params", 400, "req-1")
    assert "secret-key" not in repr(raised.value)
    with ScriptedServer(Reply(422, problem("code_of_tomorrow", 422))) as server, Atelier("k", server.url) as client:
        with pytest.raises(ApiError) as later:
            client.account.get()
    assert later.value.code == "code_of_tomorrow"


def test_a_ceiling_is_required() -> None:
    with Atelier("k", "http://127.0.0.1:9") as client:
        with pytest.raises(ValueError, match="max_coins or quote_token"):
            client.generations.create("canvas", {})
        with pytest.raises(ValueError, match="max_coins or quote_token"):
            client.generations.create("canvas", {}, max_coins=1, quote_token="q")


def test_the_environment_has_defaults(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ATELIER_BASE_URL", raising=False)
    with pytest.raises(ValueError, match="ATELIER_BASE_URL"):
        Atelier("k")
    with ScriptedServer(Reply(200, {"models": []})) as server:
        monkeypatch.setenv("ATELIER_BASE_URL", f"{server.url}/")
        monkeypatch.setenv("ATELIER_API_KEY", "from-env")
        with Atelier() as client:
            assert client.models.list(modality="image") == []
    assert server.seen[0].headers["authorization"] == "Bearer from-env"
    assert server.seen[0].query == "modality=image"


def test_a_cancel_whose_response_was_lost_succeeds(pauses: List[float]) -> None:
    replies = [
        Reply(cut_after=0),
        Reply(409, problem("not_cancelable", 409)),
        Reply(200, generation("canceled", coinsCharged=0)),
    ]
    with ScriptedServer(*replies) as server, Atelier("k", server.url) as client:
        assert client.generations.cancel("id").status == "canceled"
    assert [seen.method for seen in server.seen] == ["POST", "POST", "GET"]
    running = [Reply(409, problem("not_cancelable", 409)), Reply(200, generation("running"))]
    with ScriptedServer(*running) as server, Atelier("k", server.url) as client:
        with pytest.raises(ApiError, match="Detail"):
            client.generations.cancel("id")


def polled(ends_as: str, after: int) -> Callable[[Seen], Reply]:
    """A service without a stream, whose generation ends after so many reads."""
    reads = iter(range(1000))

    def answer(seen: Seen) -> Reply:
        if seen.method == "POST":
            return CREATED
        if seen.path.endswith("/stream"):
            return Reply(429, problem("rate_limited", 429))
        if next(reads) < after:
            return Reply(200, generation("processing", progress=0.5))
        error = {"code": "timeout", "message": "It took too long."} if ends_as == "failed" else None
        return Reply(200, generation(ends_as, progress=1, error=error))

    return answer


def test_run_polls_where_no_stream_can_be_opened(pauses: List[float]) -> None:
    told: List[Any] = []
    with ScriptedServer(handler=polled("succeeded", 3)) as server, Atelier("k", server.url) as client:
        result = client.generations.run("canvas", {"prompt": "x"}, max_coins=4, on_progress=told.append)
    assert result.generation.status == "succeeded"
    assert [(each.status, each.progress) for each in told] == [("queued", None), ("processing", 0.5), ("succeeded", 1)]
    assert len(pauses) == 3
    assert all(2 <= pause <= 3 for pause in pauses)


def test_run_raises_for_a_failed_generation_and_for_a_timeout(pauses: List[float]) -> None:
    with ScriptedServer(handler=polled("failed", 0)) as server, Atelier("k", server.url) as client:
        with pytest.raises(GenerationFailedError, match="It took too long") as raised:
            client.generations.run("canvas", {}, max_coins=4)
    assert raised.value.code == "timeout"
    with ScriptedServer(handler=polled("succeeded", 1000)) as server, Atelier("k", server.url) as client:
        with pytest.raises(WaitTimeoutError) as late:
            client.generations.run("canvas", {}, max_coins=4, timeout_seconds=0.2)
    assert late.value.generation.status == "processing"


def test_large_files_are_sent_in_chunks_that_survive_a_lost_response(pauses: List[float], tmp_path: Path) -> None:
    size, chunk = 20 * 1024 * 1024, 8 * 1024 * 1024
    content = bytes(range(256)) * (size // 256)
    received = bytearray()
    faults = {1: Reply(cut_after=0), 3: Reply(503, problem("unavailable", 503))}
    puts = iter(range(100))

    def state() -> dict:  # type: ignore[type-arg]
        return {
            "id": "up",
            "bytes": size,
            "offset": len(received),
            "chunkBytes": chunk,
            "expiresAt": "2026-01-06T09:30:00.000Z",
        }

    def answer(seen: Seen) -> Reply:
        if seen.path.endswith("/complete"):
            return Reply(201, asset())
        if seen.method == "PUT":
            fault = faults.get(next(puts))
            if fault is not None and fault.status == 503:
                return fault
            offset = int(seen.query.removeprefix("offset="))
            if offset != len(received):
                return Reply(400, problem("invalid_params", 400))
            received.extend(seen.body)
            return fault or Reply(200, state())
        return Reply(200, state())

    file = tmp_path / "clip.mp4"
    file.write_bytes(content)
    told: List[Any] = []
    with ScriptedServer(handler=answer) as server, Atelier("k", server.url) as client:
        made = client.uploads.create(file, on_upload=lambda done, total: told.append((done, total)))
    assert made.id == "asset"
    assert bytes(received) == content
    assert told[-1] == (size, size)
    assert told == sorted(told)


def asset(**more: Any) -> Any:
    return {
        "id": "asset",
        "kind": "image",
        "url": "http://127.0.0.1:9/x",
        "thumbnailUrl": "http://127.0.0.1:9/t",
        "posterUrl": None,
        "mimeType": "image/png",
        "width": 1,
        "height": 1,
        "durationSeconds": None,
        **more,
    }


def test_an_expired_link_is_replaced_and_no_half_file_stays(tmp_path: Path) -> None:
    def answer(seen: Seen) -> Reply:
        if seen.path == "/old":
            return Reply(403, problem("link_expired", 403))
        if seen.path.startswith("/v1/assets"):
            return Reply(200, asset(url=f"{server.url}/new"))
        assert "authorization" not in seen.headers
        return Reply(200, b"picture", {"content-type": "image/png"})

    with ScriptedServer(handler=answer) as server, Atelier("k", server.url) as client:
        from atelier_client import Asset

        old = Asset.from_json(asset(url=f"{server.url}/old"))
        path = client.assets.download(old, tmp_path)
        assert path == tmp_path / "asset.png"
        assert path.read_bytes() == b"picture"
    with ScriptedServer(Reply(500, problem("internal", 500))) as server:
        with Atelier("k", server.url, max_retries=0) as client:
            broken = Asset.from_json(asset(id="broken", url=f"{server.url}/old"))
            with pytest.raises(ApiError):
                client.assets.download(broken, tmp_path)
    assert [each.name for each in tmp_path.iterdir()] == ["asset.png"]


def test_lists_read_all_pages() -> None:
    def answer(seen: Seen) -> Reply:
        last = "cursor=second" in seen.query
        return Reply(200, {"items": [generation(), generation()], "nextCursor": None if last else "second"})

    with ScriptedServer(handler=answer) as server, Atelier("k", server.url) as client:
        assert len(list(client.generations.list(active=True))) == 4
    assert [seen.query for seen in server.seen] == ["active=true&limit=100", "cursor=second&active=true&limit=100"]


def test_the_asynchronous_client_retries_too() -> None:
    async def main(url: str) -> str:
        async with AsyncAtelier("k", url) as client:
            created = await client.generations.create("canvas", {}, max_coins=4)
            return created.id

    with ScriptedServer(Reply(cut_after=0), CREATED) as server:
        started = time.monotonic()
        assert asyncio.run(main(server.url)) == generation()["id"]
        assert time.monotonic() - started >= 0.25
    assert len({seen.headers["idempotency-key"] for seen in server.seen}) == 1
