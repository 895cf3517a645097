"""The built site, for the tests that read it: as files, and served to a browser."""

import functools
import http.server
import threading

import pytest

from tests.book.toc import ROOT, missing_pages


@pytest.fixture(scope="session")
def site():
    """The folder that `make book` built; `make test` builds it first."""
    folder = ROOT / "_build" / "html"
    missing = missing_pages(folder)
    assert not missing, f"{folder} lacks {missing}: type make book"
    return folder


@pytest.fixture(scope="session")
def served(site):
    """The address of the site on this machine's loopback."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *arguments):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()
