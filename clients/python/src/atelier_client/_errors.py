"""What can go wrong, other than the codes of the API, which _problems.py lists."""

from __future__ import annotations

from typing import TYPE_CHECKING, List, Optional

if TYPE_CHECKING:
    from ._models import Generation, Problem, ProblemIssue


class AtelierError(Exception):
    """The base of every exception of this package."""


class ApiError(AtelierError):
    """The service refused the request. Each code has its own subclass, for example `InsufficientCoinsError`."""

    code: str = "internal"

    def __init__(self, problem: Problem, retry_after: Optional[float] = None) -> None:
        super().__init__(f"{problem.title}: {problem.detail}" if problem.detail else problem.title)
        self.code = problem.code
        self.status: int = problem.status
        self.title: str = problem.title
        self.detail: str = problem.detail
        self.issues: List[ProblemIssue] = problem.issues or []
        self.request_id: Optional[str] = problem.instance
        self.retry_after: Optional[float] = retry_after

    def __str__(self) -> str:
        lines = [super().__str__(), *(f"  {issue.path}: {issue.message}" for issue in self.issues)]
        if self.request_id is not None:
            lines.append(f"  request id: {self.request_id}")
        return "\n".join(lines)


class ConnectionFailedError(AtelierError):
    """No response, after all retries. A generation may exist: create it again with the same key to find out."""


class WaitTimeoutError(AtelierError):
    """The generation did not end in the given time. It goes on: get it again later."""

    def __init__(self, generation: Generation) -> None:
        super().__init__(f"Generation {generation.id} is still {generation.status}. Get it again later.")
        self.generation = generation


class GenerationFailedError(AtelierError):
    """The generation failed. Its coins were refunded."""

    def __init__(self, generation: Generation) -> None:
        failure = generation.error
        reason = "unknown reason" if failure is None else failure.message or failure.code
        super().__init__(f"Generation {generation.id} failed: {reason}. Its coins were refunded.")
        self.generation = generation
        self.code: Optional[str] = None if failure is None else failure.code


class GenerationCanceledError(AtelierError):
    """The generation was canceled. Its coins were released."""

    def __init__(self, generation: Generation) -> None:
        super().__init__(f"Generation {generation.id} was canceled.")
        self.generation = generation


class InvalidSignatureError(AtelierError):
    """A webhook request is not genuine, or too old."""
