"""The built site as files: whole, without other hosts, every link with an end."""

import re
import shutil
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

import pytest

from tests.book.toc import ROOT, missing_pages, pages

LOADED = {"script": "src", "img": "src", "link": "href", "iframe": "src", "source": "src", "video": "src", "object": "data"}


class Page(HTMLParser):
    """The links, loaded resources, images and anchors of a page."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.loads, self.images, self.ids, self.details = [], [], [], set(), []
        self.lang, self.title, self._in_title = None, "", False
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        given = dict(attributes)
        if "id" in given:
            self.ids.add(given["id"])
        if tag == "html":
            self.lang = given.get("lang")
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag in LOADED and given.get(LOADED[tag]) and given.get("rel") not in ("canonical", "next", "prev", "author"):
            self.loads.append(given[LOADED[tag]])
        if tag == "img":
            self.images.append(given)
        if tag == "details":
            self.details.append(given)
        self._in_title = tag == "title" or (self._in_title and tag != "svg")

    def handle_endtag(self, tag):
        if tag == "title":
            self._in_title = False

    def handle_data(self, data):
        if self._in_title:
            self.title += data


@pytest.fixture(scope="session")
def parsed(site):
    names = ["index", *pages(), "search", "genindex"]
    return {name: Page((site / f"{name}.html").read_text(encoding="utf-8")) for name in names}


def test_every_page_was_built(site, tmp_path):
    assert missing_pages(site) == []
    copy = tmp_path / "html"
    shutil.copytree(site, copy, ignore=shutil.ignore_patterns("_static", "_images", "_sources"))
    (copy / f"{pages()[-1]}.html").unlink()
    assert missing_pages(copy) == [pages()[-1]]


def test_front_door_is_our_own(parsed):
    front = parsed["index"]
    assert front.lang == "en"
    assert front.title.startswith("Where Words Stand")
    assert "book/index.html" in front.links


def test_nothing_is_loaded_from_another_host(parsed, site):
    for name, page in parsed.items():
        assert [load for load in page.loads if urlsplit(load).netloc] == [], name
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\([\"']?https?:|@import\s+[\"']https?:", style.read_text(encoding="utf-8")), style


def test_nothing_tells_of_the_machine_that_built_it(site):
    for path in site.rglob("*"):
        if path.suffix in {".html", ".ipynb", ".md", ".js", ".css"}:
            assert f"{ROOT}/" not in path.read_text(encoding="utf-8", errors="replace"), path


# The font in _static/vendor holds these icons alone; one more needs a new subset of the font.
ICONS = {"angle-left", "angle-right", "arrow-up", "bars", "circle-half-stroke", "download", "file", "file-pdf", "list"}
ICONS |= {"magnifying-glass", "moon", "sun"}
STYLES = {"solid", "lg", "fw"}


def test_icons_come_from_the_small_font(site):
    static = site / "_static"
    assert (static / "scripts" / "fontawesome.js").stat().st_size < 1_000
    assert (static / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.woff2").stat().st_size < 10_000
    for name in ["index", *pages(), "search"]:
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        used = {icon for classes in re.findall(r'class="([^"]*)"', text) for icon in re.findall(r"\bfa-([a-z-]+)", classes)}
        assert used <= ICONS | STYLES, (name, used)


def test_every_image_has_alternative_text(parsed):
    for name, page in parsed.items():
        for image in page.images:
            # The mark beside the book's name is decoration: an empty text is right for it and it alone.
            assert "alt" in image, (name, image)
            assert image["alt"].strip() or image["src"].endswith("_static/logo.svg"), (name, image)


def test_every_internal_link_and_resource_exists(parsed, site):
    broken = []
    for name, page in parsed.items():
        folder = (site / name).parent
        for target in {*page.links, *page.loads}:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc or target.startswith(("#top", "javascript:")):
                continue
            path = (folder / unquote(parts.path)).resolve() if parts.path else site / f"{name}.html"
            if path.is_dir():
                path = path / "index.html"
            if not path.is_file():
                broken.append((name, target))
            elif parts.fragment and path.suffix == ".html":
                ids = Page(path.read_text(encoding="utf-8")).ids
                if unquote(parts.fragment) not in ids:
                    broken.append((name, target))
    assert broken == []


def test_formulas_were_rendered(site):
    for name in pages():
        text = (site / f"{name}.html").read_text(encoding="utf-8")
        assert 'class="katex-error"' not in text, name
        assert not re.search(r'<(span|div) class="math notranslate nohighlight"[^>]*>\s*(\\[\(\[]|\$)', text), name


def test_solutions_are_closed_without_javascript(parsed):
    for name in pages():
        for details in parsed[name].details:
            if "hide" in (details.get("class") or ""):
                assert "open" not in details, name
