"""moto's S3 as a program, `python moto_app.py HOST PORT`: one request at a time, connections kept open.

moto looks for an object and writes it in two steps, so now and then it lets two creates win that race (seen: 2 of 16).
S3 promises that one wins; a lock around each request keeps that promise here. It is taken when the whole request is
there: a process that is stopped in the middle of sending one would keep all others waiting.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterable
from io import BytesIO
from threading import Lock
from typing import Any

from moto.server import create_backend_app
from werkzeug.datastructures import Headers
from werkzeug.serving import WSGIRequestHandler, run_simple
from werkzeug.test import run_wsgi_app
from werkzeug.wsgi import get_input_stream


class OneAtATime:
    """An application whose requests wait for each other."""

    def __init__(self, application: Any) -> None:
        self._application = application
        self._lock = Lock()

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Iterable[bytes]:
        """Answer a request, as WSGI has it."""
        environ["wsgi.input"] = BytesIO(get_input_stream(environ).read())
        with self._lock:
            return list(self._application(environ, start_response))


class KeepsOpen(WSGIRequestHandler):
    """Serves several requests on one connection, as S3 does.

    werkzeug's own handler closes each, since it cannot tell what is left of a request; here nothing is, because
    the application has read it whole. Of a reply all is known before it is sent: its length, and in one piece.
    """

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def run_wsgi(self) -> None:
        """Answer one request."""
        if self.headers.get("Expect", "").lower() == "100-continue":
            self.wfile.write(b"HTTP/1.1 100 Continue\r\n\r\n")
            self.wfile.flush()
        try:
            run = run_wsgi_app(self.server.app, self.make_environ())
        except ConnectionError:
            raise
        except Exception:
            logging.getLogger("werkzeug").exception("A request failed: %s", self.requestline)
            run = (b"",), "500 INTERNAL SERVER ERROR", Headers()
            self.close_connection = True
        pieces, status, headers = run
        body = b"".join(pieces)
        code, _, reason = status.partition(" ")
        self.send_response(int(code), reason)
        for name, value in headers:
            self.send_header(name, value)
        if "Content-Length" not in headers and int(code) not in (204, 304):
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(b"" if self.command == "HEAD" else body)
        self.wfile.flush()


if __name__ == "__main__":
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    application = OneAtATime(create_backend_app("s3"))
    run_simple(sys.argv[1], int(sys.argv[2]), application, threaded=True, request_handler=KeepsOpen)
