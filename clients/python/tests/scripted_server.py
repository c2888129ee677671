"""A real HTTP server that answers as a test tells it to."""

from __future__ import annotations

import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Dict, List, Optional, Tuple
from urllib.parse import urlsplit


@dataclass
class Seen:
    method: str
    path: str
    query: str
    headers: Dict[str, str]
    body: bytes


@dataclass
class Reply:
    status: int = 200
    body: Any = None
    headers: Dict[str, str] = field(default_factory=dict)
    cut_after: Optional[int] = None
    """Closes the connection after so many bytes of the body; 0 sends no response at all."""


Handler = Callable[[Seen], Reply]


class ScriptedServer:
    """Answers with the replies in order, then with the last one again and again."""

    def __init__(self, *replies: Reply, handler: Optional[Handler] = None, port: int = 0) -> None:
        self.seen: List[Seen] = []
        left = list(replies)
        lock = threading.Lock()

        def answer(seen: Seen) -> Reply:
            with lock:
                self.seen.append(seen)
                if handler is not None:
                    return handler(seen)
                return left.pop(0) if len(left) > 1 else left[0]

        class Answering(BaseHTTPRequestHandler):
            def handle_any(self) -> None:
                url = urlsplit(self.path)
                body = self.rfile.read(int(self.headers.get("content-length", 0)))
                headers = {name.lower(): value for name, value in self.headers.items()}
                reply = answer(Seen(self.command, url.path, url.query, headers, body))
                if reply.cut_after == 0:
                    self.close_connection = True
                    return
                content = reply.body if isinstance(reply.body, bytes) else json.dumps(reply.body).encode()
                self.send_response(reply.status)
                for name, value in {"content-type": "application/json", **reply.headers}.items():
                    self.send_header(name, value)
                self.send_header("content-length", str(len(content)))
                self.send_header("connection", "close")
                self.end_headers()
                self.wfile.write(content if reply.cut_after is None else content[: reply.cut_after])
                self.close_connection = True

            do_GET = do_POST = do_PUT = handle_any  # noqa: N815 names of the base class

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", port), Answering)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self._thread.start()
        address: Tuple[Any, ...] = self._server.server_address
        self.url = f"http://127.0.0.1:{address[1]}"

    def __enter__(self) -> ScriptedServer:
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()


def problem(code: str, status: int, **more: Any) -> Dict[str, Any]:
    return {"type": f"/problems/{code}", "title": "Title", "status": status, "detail": "Detail.", "code": code, **more}


def generation(status: str = "queued", **more: Any) -> Dict[str, Any]:
    return {
        "id": "0198a1c3-0d4f-7b62-a3f8-51c7e9d20b14",
        "modelId": "canvas",
        "modelName": "Canvas",
        "taskType": "image.generate",
        "modality": "image",
        "workspace": "image",
        "effect": None,
        "status": status,
        "progress": None,
        "queuePosition": None,
        "params": {"prompt": "a lake"},
        "coinsQuoted": 4,
        "coinsCharged": None,
        "outputs": [],
        "outputsRequested": 1,
        "error": None,
        "projectId": None,
        "createdAt": "2026-01-05T09:30:44.000Z",
        "startedAt": None,
        "completedAt": None,
        "fieldOfTomorrow": {"ignored": True},
        **more,
    }
