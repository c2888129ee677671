"""Receiving webhooks: `unwrap` checks the signature of a request and returns its event."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import time
from typing import Optional, Sequence, Union

from ._errors import InvalidSignatureError
from ._models import WebhookEvent

__all__ = ["unwrap", "verify"]

TOLERANCE_SECONDS = 300


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
) -> WebhookEvent:
    """Verifies a request and returns its event. Deduplicate on `event.id`: an event can arrive more than once."""
    verify(body, signature, secret, tolerance_seconds=tolerance_seconds, now=now)
    return WebhookEvent.from_json(json.loads(body))
