"""Which refusals are worth another attempt, and when."""

from __future__ import annotations

import json
import random
from contextlib import suppress
from typing import Optional

from ._errors import ApiError, AtelierError, ConnectionFailedError
from ._flow import Answer
from ._models import Problem
from ._problems import PROBLEMS

FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 8.0
MAX_RETRY_AFTER_SECONDS = 120.0


def to_error(answer: Answer) -> ApiError:
    retry_after: Optional[float] = None
    with suppress(ValueError):
        retry_after = float(answer.headers.get("retry-after", ""))
    try:
        problem = Problem.from_json(json.loads(answer.body))
    except (ValueError, KeyError, TypeError, AttributeError):
        # Not from the service itself, for example a proxy.
        problem = Problem("about:blank", f"Status {answer.status}", answer.status, "", "internal")
    return PROBLEMS.get(problem.code, ApiError)(problem, retry_after)


def is_retryable(error: AtelierError) -> bool:
    if isinstance(error, ConnectionFailedError):
        return True
    if not isinstance(error, ApiError) or (error.retry_after or 0) > MAX_RETRY_AFTER_SECONDS:
        return False
    return error.status in (408, 429) or error.status >= 500


def delay_before(attempt: int, error: AtelierError) -> float:
    """Grows with each attempt, spread at random, and is never shorter than the service asks."""
    backoff = min(FIRST_DELAY_SECONDS * (1 << attempt), MAX_DELAY_SECONDS) * (0.5 + random.random() / 2)
    asked = error.retry_after if isinstance(error, ApiError) else None
    return max(backoff, asked or 0)
