import hashlib
import hmac
import json
from typing import Any, Dict

import pytest

from atelier_client import InvalidSignatureError, WebhookEvent, webhooks

from .scripted_server import generation

SECRET = "whsec_dGVzdC12ZWN0b3Itc2VjcmV0LW5vdC1mb3ItdXNlLTAx"
TIME = 1767609062
# The published test vectors of the service.
VECTORS = [
    (
        b'{"id":"0198a1c3-6127-7f3b-9c48-e05d7b2a64f1","type":"generation.canceled","createdAt":"2026-01-05T09:30:44.000Z"}',
        "9e167314b2f999593ddeee120336bde8b5873059713e1efd5e3f380c97a17f12",
    ),
    (b"", "72d23f0aacd42173b9180649c482a730bb1c532a2f987cec82b50afbbf231e9d"),
    ('{"note":"café"}'.encode(), "5858ce33934d105b08cfff307c4b033b62a838f113eb39d90f01bad5ef939747"),
]


@pytest.mark.parametrize(("body", "v1"), VECTORS)
def test_published_vectors_verify(body: bytes, v1: str) -> None:
    webhooks.verify(body, f"t={TIME},v1={v1}", SECRET, now=TIME)
    webhooks.verify(body, f"t={TIME}, v1={'0' * 64}, v1={v1}", ["whsec_old", SECRET], now=TIME + 300)


@pytest.mark.parametrize(
    ("header", "now"),
    [
        (f"t={TIME},v1={VECTORS[0][1]}", TIME + 301),
        (f"t={TIME},v1={VECTORS[0][1]}", TIME - 301),
        (f"t={TIME},v1={VECTORS[1][1]}", TIME),
        (f"t={TIME},v1={VECTORS[0][1].upper()}", TIME),
        (f"t={TIME}", TIME),
        (f"t={TIME}x,v1={VECTORS[0][1]}", TIME),
        (f"v1={VECTORS[0][1]}", TIME),
        ("", TIME),
        (None, TIME),
    ],
)
def test_anything_else_is_refused(header: "str | None", now: float) -> None:
    with pytest.raises(InvalidSignatureError):
        webhooks.verify(VECTORS[0][0], header, SECRET, now=now)
    with pytest.raises(InvalidSignatureError):
        webhooks.verify(VECTORS[0][0], f"t={TIME},v1={VECTORS[0][1]}", "whsec_other", now=TIME)


def unwrap(event: Dict[str, Any]) -> webhooks.ReceivedEvent:
    body = json.dumps(event).encode()
    v1 = hmac.new(SECRET.encode(), f"{TIME}.".encode() + body, hashlib.sha256).hexdigest()
    return webhooks.unwrap(body, f"t={TIME},v1={v1}", SECRET, now=TIME)


def test_unwrap_returns_the_event() -> None:
    event = unwrap(
        {
            "id": "e",
            "type": "generation.succeeded",
            "createdAt": "2026-01-05T09:30:44.000Z",
            "data": {"generation": generation("succeeded")},
        }
    )
    assert isinstance(event, WebhookEvent)
    assert (event.id, event.data.generation.status) == ("e", "succeeded")


def test_unwrap_returns_an_event_about_a_budget() -> None:
    budget = {"id": "b", "projectId": None, "month": "2026-01", "coins": 100, "spentCoins": 81, "percent": 80}
    event = unwrap(
        {
            "id": "e",
            "type": "budget.reached",
            "createdAt": "2026-01-05T09:30:44.000Z",
            "test": True,
            "data": {"budget": budget},
        }
    )
    assert isinstance(event, webhooks.BudgetReachedEvent)
    assert event.test is True
    assert event.created_at.isoformat() == "2026-01-05T09:30:44+00:00"
    assert event.data.budget == webhooks.Budget("b", None, "2026-01", 100, 81, 80)
