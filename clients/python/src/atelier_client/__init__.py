"""Client of Atelier, the self-hosted API for paid media generation."""

from . import webhooks
from ._async_client import AsyncAtelier
from ._client import Atelier
from ._core import OnProgress, OnUpload, Progress
from ._errors import (
    ApiError,
    AtelierError,
    ConnectionFailedError,
    GenerationCanceledError,
    GenerationFailedError,
    InvalidSignatureError,
    WaitTimeoutError,
)
from ._files import FileSource
from ._models import *  # noqa: F403 the generated list of names
from ._models import __all__ as _models
from ._output import AsyncOutput, AsyncResult, Output, Result
from ._problems import *  # noqa: F403 the generated list of names
from ._problems import __all__ as _problems
from ._version import VERSION as __version__  # noqa: N811

__all__ = [
    "ApiError",
    "AsyncAtelier",
    "AsyncOutput",
    "AsyncResult",
    "Atelier",
    "AtelierError",
    "ConnectionFailedError",
    "FileSource",
    "GenerationCanceledError",
    "GenerationFailedError",
    "InvalidSignatureError",
    "OnProgress",
    "OnUpload",
    "Output",
    "Progress",
    "Result",
    "WaitTimeoutError",
    "__version__",
    "webhooks",
    *_models,
    *_problems,
]
