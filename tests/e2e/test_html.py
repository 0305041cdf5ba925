"""The HTML report in a real browser: what people do with it by mouse, by keyboard and on paper."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
EVIL = '<script>alert(1)<script>"&.c'
SOURCE = (
    "// </script><script>window.pwned = 1</script>\n"
    "void scale(int n, double *a, double *b)\n{\n  for (int i = 0; i < n; i++)\n    a[i] = 2 * b[i];\n}\n"
    + "".join(f"int unused{number};\n" for number in range(30))
    + "void mm(int n, double a[n][n], double b[n][n], double c[n][n])\n{\n"
    "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      for (int k = 0; k < n; k++)\n"
    "        c[i][j] += a[i][k] * b[k][j];\n}\n"
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("no chromium on PATH, and CHROMIUM does not name one")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    (folder / EVIL).write_text(SOURCE)
    wanted = ["-D", "n=1000", "--machine", "haswell,v100", "--format", "html", "-o", "report.html"]
    subprocess.run(
        [sys.executable, "-m", "cli", EVIL, *wanted],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        check=True,
    )
    return folder / "report.html"


class Visit:
    """A page with what it logged and asked for."""

    def __init__(self, page: Any, report: Path) -> None:
        self.page = page
        self.log: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.log.append(message.text))
        page.on("pageerror", lambda error: self.log.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))
        page.set_default_timeout(20000)
        page.goto(report.as_uri())
        page.wait_for_selector("#plot[data-ready]")

    def names(self) -> list[str]:
        """The first cells of the rows that are to be seen."""
        return [row.inner_text() for row in self.page.locator("#rows tbody tr:visible td.name").all()]


@pytest.fixture
def visit(browser: Any, report: Path) -> Iterator[Visit]:
    context = browser.new_context(viewport={"width": 1280, "height": 900}, color_scheme="light")
    found = Visit(context.new_page(), report)
    yield found
    assert found.log == []
    assert found.requests == [report.as_uri()]
    assert found.page.evaluate("window.pwned ?? null") is None
    context.close()


def test_columns_sort_both_ways_by_their_numbers(visit: Visit) -> None:
    table = visit.page.locator("#rows")
    heading = table.get_by_role("columnheader", name="FLOPs")
    button = heading.get_by_role("button")
    button.click()
    assert heading.get_attribute("aria-sort") == "descending"
    assert visit.names() == ["mm:39-42"] * 2 + ["scale:4-5"] * 2
    button.press("Enter")
    assert heading.get_attribute("aria-sort") == "ascending"
    assert visit.names() == ["scale:4-5"] * 2 + ["mm:39-42"] * 2
    table.get_by_role("columnheader", name="Loop nest").get_by_role("button").click()
    assert heading.get_attribute("aria-sort") == "none"
    assert visit.names()[0] == "mm:39-42"


def test_rows_are_filtered_by_text_bound_and_machine(visit: Visit) -> None:
    visit.page.get_by_label("Filter", exact=True).fill("SCALE v100")
    assert visit.names() == ["scale:4-5"]
    assert visit.page.locator("#count").inner_text() == "1 of 4 rows"
    visit.page.get_by_label("Filter", exact=True).fill("")
    bounds = visit.page.get_by_label("Bound", exact=True)
    for bound, rows in (("compute", "0 of 4 rows"), ("memory", "4 rows")):
        bounds.select_option(bound)
        assert visit.page.locator("#count").inner_text() == rows
    bounds.select_option("")
    visit.page.get_by_label("Machine", exact=True).select_option("1")
    assert visit.names() == ["mm:39-42", "scale:4-5"]


def shown(page: Any) -> str:
    page.wait_for_selector(".hoverlayer .hovertext")
    return str(page.locator(".hoverlayer .hovertext").first.inner_html())


def test_a_point_tells_and_leads_to_its_source(visit: Visit) -> None:
    page = visit.page
    point = page.locator("#plot .scatterlayer .points path.point >> visible=true").first
    page.locator("#plot").scroll_into_view_if_needed()
    box = point.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    told = shown(page)
    for part in ("scale:4-5", "&lt;script&gt;alert(1)", "AI 0.0", "bound: memory", "below the ridge"):
        assert part in told
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.locator("#file-1-line-4:focus").wait_for()
    assert page.evaluate("location.hash") == "#file-1-line-4"


def test_the_keyboard_reaches_everything_in_order(visit: Visit) -> None:
    page = visit.page
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.className") == "skip"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    seen = []
    for _ in range(60):
        page.keyboard.press("Tab")
        seen.append(page.evaluate("document.activeElement.id || document.activeElement.textContent.trim()"))
    order = [seen.index(name) for name in ("What costs most", "theme", "scale:4-5", "filter", "filter-bound", "Time")]
    assert order == sorted(order)
    page.locator(".marks a[data-curve]").first.focus()
    assert "scale:4-5" in shown(page)
    page.keyboard.press("Enter")
    page.locator("#file-1-line-4:focus").wait_for()


def test_folded_lines_open(visit: Visit) -> None:
    button = visit.page.locator(".fold button")
    line = visit.page.locator("#file-1-line-20")
    assert not line.is_visible()
    button.press("Enter")
    assert button.get_attribute("aria-expanded") == "true"
    assert line.is_visible()


def traces(page: Any, role: str, machine: int) -> list[bool]:
    return list(
        page.evaluate(
            "([role, machine]) => document.querySelector('#plot').data.filter(({ meta }) =>"
            " meta.role === role && meta.machine === machine).map(({ visible }) => visible)",
            [role, machine],
        )
    )


def test_machines_and_levels_are_chosen(visit: Visit) -> None:
    assert traces(visit.page, "point", 1) == [True]
    visit.page.get_by_role("checkbox", name="NVIDIA Tesla V100").uncheck()
    assert traces(visit.page, "point", 1) == [False]
    assert traces(visit.page, "point", 0) == [True]
    assert not any(traces(visit.page, "levels", 0))
    visit.page.get_by_label("inner levels").check()
    assert all(traces(visit.page, "levels", 0))


def background(page: Any) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_themes_follow_the_system_and_the_switch(visit: Visit) -> None:
    page = visit.page
    light = background(page)
    page.emulate_media(color_scheme="dark")
    dark = background(page)
    assert light != dark
    for name, color in (("dark", dark), ("light", light), ("system", dark)):
        page.get_by_role("button", name="Theme").click()
        assert page.locator("#theme").inner_text() == f"Theme: {name}"
        assert background(page) == color
        assert page.evaluate("document.querySelector('#plot').layout.paper_bgcolor") == color


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_is_wider_than_the_screen(browser: Any, report: Path, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 844})
    visit = Visit(context.new_page(), report)
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    assert len(visit.names()) == 4
    assert visit.page.locator("#file-1-line-4 code").is_visible()
    context.close()


def test_on_paper_everything_is_open_and_light(visit: Visit) -> None:
    page = visit.page
    page.emulate_media(color_scheme="dark", media="print")
    assert background(page) == "rgb(255, 255, 255)"
    assert not page.locator("#filters").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.locator("details:not([open])").count() == 0
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("details:not([open])").count() > 0


def test_without_scripts_the_tables_are_whole(browser: Any, report: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(report.as_uri())
    assert page.locator("#rows tbody tr:visible").count() == 4
    assert page.locator("#file-1-line-20").is_visible()
    assert page.locator("noscript code").is_visible()
    assert not page.locator("#filters").is_visible()
    context.close()
