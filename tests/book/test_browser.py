"""Every page in headless Chromium: whole, quiet, without another host, and no wider than a phone."""

import os
import shutil

import pytest

from tests.book.toc import pages

NAMES = ("chromium", "chromium-browser", "google-chrome")
CHROMIUM = next(filter(None, [os.environ.get("CHROMIUM"), *map(shutil.which, NAMES)]), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]

if CHROMIUM is None and not os.environ.get("CI"):
    pytest.skip("needs Chromium: install it, or name it in CHROMIUM", allow_module_level=True)


@pytest.fixture(scope="module")
def browser():
    from playwright.sync_api import sync_playwright

    assert CHROMIUM, "CI must have Chromium for these tests"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["index", *pages()])
def test_page(browser, served, name, scheme):
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    faults = []
    page.on("console", lambda message: faults.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: faults.append(str(error)))
    # The front door moves on at once, which cancels what it was still loading.
    moved_on = "net::ERR_ABORTED" if name == "index" else None
    page.on(
        "requestfailed",
        lambda request: None if request.failure == moved_on else faults.append(f"failed: {request.url}"),
    )
    page.on("response", lambda response: faults.append(f"{response.status}: {response.url}") if response.status >= 400 else None)
    page.on(
        "request",
        lambda request: None if request.url.startswith((served, "data:")) else faults.append(f"elsewhere: {request.url}"),
    )
    page.goto(f"{served}/{name}.html")
    page.wait_for_load_state("networkidle")
    assert faults == []
    if name == "index":
        page.wait_for_url("**/book/index.html")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    assert page.locator("details[open]:not(.toctree-details, .nav details)").filter(has_text="Hide the solution").count() == 0
    assert page.evaluate("document.documentElement.dataset.theme") == scheme
    context.close()


def test_solution_opens_when_asked(browser, served):
    page = browser.new_page()
    page.goto(f"{served}/book/03-sinusoidal-embeddings.html")
    solution = page.locator("details.hide").first
    code = solution.locator("pre").first
    assert not code.is_visible()
    solution.locator("summary").click()
    assert code.is_visible()
    page.close()


def test_search_finds_the_context_vector(browser, served):
    page = browser.new_page()
    page.goto(f"{served}/search.html?q=context+vector")
    page.wait_for_selector("#search-results li")
    assert "02-rnn-context-vector" in page.inner_html("#search-results")
    page.close()
