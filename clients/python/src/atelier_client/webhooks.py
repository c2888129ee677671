"""Receiving webhooks: `unwrap` checks the signature of a request and returns its event."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Dict, Literal, Optional, Sequence, Union

from ._errors import InvalidSignatureError
from ._models import WebhookEvent, _time

__all__ = ["Budget", "BudgetData", "BudgetReachedEvent", "ReceivedEvent", "unwrap", "verify"]

TOLERANCE_SECONDS = 300


@dataclass(frozen=True)
class Budget:
    id: str
    project_id: Optional[str]
    """None: generations without a project."""
    month: str
    """The month, UTC, as 2026-01."""
    coins: int
    spent_coins: int
    percent: int
    """The largest share that was reached, in percent."""


@dataclass(frozen=True)
class BudgetData:
    budget: Budget


@dataclass(frozen=True)
class BudgetReachedEvent:
    """A project reached a share of its budget. Only endpoints that subscribe to it get it."""

    id: str
    type: Literal["budget.reached"]
    created_at: datetime
    data: BudgetData
    test: Optional[bool] = None
    """Present only on a test event. The budget does not exist."""

    @classmethod
    def from_json(cls, data: Dict[str, Any]) -> BudgetReachedEvent:
        budget = data["data"]["budget"]
        return cls(
            id=data["id"],
            type=data["type"],
            created_at=_time(data["createdAt"]),
            test=data.get("test"),
            data=BudgetData(
                Budget(
                    id=budget["id"],
                    project_id=budget["projectId"],
                    month=budget["month"],
                    coins=budget["coins"],
                    spent_coins=budget["spentCoins"],
                    percent=budget["percent"],
                )
            ),
        )


ReceivedEvent = Union[WebhookEvent, BudgetReachedEvent]


def verify(
    body: bytes,
    signature: Optional[str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> None:
    """Raises `InvalidSignatureError` unless the request is genuine.

    `body` is the raw body, before any parsing. `signature` is the header that ends in `-Signature`. Give several
    secrets while you change them.
    """
    parts = [part.strip().partition("=") for part in (signature or "").split(",")]
    timestamp = next((value for name, _, value in parts if name == "t"), "")
    if not re.fullmatch(r"[0-9]{1,12}", timestamp):
        raise InvalidSignatureError("The signature header is missing or has no valid time.")
    if abs((time.time() if now is None else now) - int(timestamp)) > tolerance_seconds:
        raise InvalidSignatureError(
            f"The signature is more than {tolerance_seconds:g} seconds old, or your clock is wrong."
        )
    genuine = False
    for each in [secret] if isinstance(secret, str) else secret:
        expected = hmac.new(each.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        for name, _, value in parts:
            if name == "v1" and re.fullmatch(r"[0-9a-f]{64}", value):
                genuine |= hmac.compare_digest(value, expected)
    if not genuine:
        raise InvalidSignatureError("The signature does not match. Check the secret, and pass the raw body.")


def unwrap(
    body: bytes,
    signature: Optional[str],
    secret: Union[str, Sequence[str]],
    *,
    tolerance_seconds: float = TOLERANCE_SECONDS,
    now: Optional[float] = None,
) -> ReceivedEvent:
    """Verifies a request and returns its event. Deduplicate on `event.id`: an event can arrive more than once."""
    verify(body, signature, secret, tolerance_seconds=tolerance_seconds, now=now)
    event = json.loads(body)
    return BudgetReachedEvent.from_json(event) if event["type"] == "budget.reached" else WebhookEvent.from_json(event)
