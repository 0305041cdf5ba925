"""The HTML report without a browser: what is in it, that it stands alone, that names of the user's stay text."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from html.parser import HTMLParser
from importlib.util import find_spec
from typing import Any

import pytest
from msgspec.structs import replace

from analyzer.errors import OptionError
from analyzer.options import AnalysisOptions
from analyzer.pipeline import analyze
from analyzer.profile import AnalyzedFile
from analyzer.source import Language, SourceFile
from analyzer.traffic.options import CacheOptions
from cli.options import analyze_options
from cli.parser import analyze_parser
from cli.render.html.anchors import anchors_of
from cli.render.html.page import _breakable, _with_options, render_html
from cli.render.html.plot import plot_of, plotly_source
from cli.render.html.source import source_of
from cli.render.plot_data.roofline import Measured
from roofline.catalog import find_machine
from roofline.estimation import estimate
from roofline.model.hierarchies import hierarchy_of
from roofline.model.projection import ProjectionOptions
from roofline.report.report import Report
from roofline.report.sweep import Sweep, rebound, sweep_point
from tests.projected import make_report

SCALE = "void {}(int n, double *a, double *b)\n{{\n  for (int i = 0; i < n; i++)\n    a[i] = 2 * b[i];\n}}\n"
MATMUL = (
    "void mm(int n, double a[n][n], double b[n][n], double c[n][n])\n{\n"
    "  for (int i = 0; i < n; i++)\n    for (int j = 0; j < n; j++)\n      for (int k = 0; k < n; k++)\n"
    "        c[i][j] += a[i][k] * b[k][j];\n}\n"
)
VOID = frozenset({"meta", "link", "input", "br", "img", "hr", "wbr"})


class Page(HTMLParser):
    """The elements of a page with their attributes and texts; tags must be closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.texts: dict[str, list[str]] = {}
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts.setdefault(tag, []).append(data)

    def all(self, tag: str, **attributes: str) -> list[dict[str, str | None]]:
        return [found for name, found in self.elements if name == tag and attributes.items() <= found.items()]

    def text(self, tag: str) -> str:
        return "".join(self.texts.get(tag, []))


def report(text: str, *machines: str, n: int | None = 1000, path: str = "k.c") -> Report:
    found = [find_machine(name) for name in machines]
    caches = tuple(hierarchy for machine in found if (hierarchy := hierarchy_of(machine)) is not None)
    defines = {} if n is None else {"n": str(n)}
    options = AnalysisOptions(defines=defines, cache=replace(CacheOptions(), hierarchies=caches))
    profiles = analyze(SourceFile(path, text, Language.C), options)
    return make_report(profiles, found, ProjectionOptions(), version="0", options={})


def page(*arguments: Any, **options: Any) -> Page:
    return Page(render_html(report(*arguments, **options)))


@pytest.fixture(scope="module")
def matmul() -> str:
    return render_html(report(MATMUL + SCALE.format("scale"), "haswell", "v100"))


def test_links_lead_somewhere_and_ids_are_told_apart(matmul: str) -> None:
    found = Page(matmul)
    ids = Counter(attributes["id"] for _, attributes in found.elements if "id" in attributes)
    assert max(ids.values()) == 1
    links = {str(attributes["href"]) for attributes in found.all("a")}
    assert {link[:1] for link in links} == {"#"}
    assert {link[1:] for link in links} <= ids.keys()
    for attributes in found.all("button") + found.all("section") + found.all("table"):
        for name in ("aria-controls", "aria-labelledby"):
            assert attributes.get(name) is None or attributes[name] in ids


def test_nothing_is_loaded_and_only_the_two_scripts_may_run(matmul: str) -> None:
    found = Page(matmul)
    assert not found.all("img") + found.all("iframe")
    assert not [attributes for _, attributes in found.elements if "src" in attributes]
    assert [attributes["href"] for attributes in found.all("link")] == ["data:,"]
    (policy,) = (str(meta["content"]) for meta in found.all("meta", **{"http-equiv": "Content-Security-Policy"}))
    assert policy.startswith("default-src 'none';")
    script = matmul.rpartition("<script>")[2].partition("</script>")[0]
    packed = matmul.partition('id="library">')[2].partition("</script>")[0]
    library = zlib.decompress(base64.b64decode(packed))
    allowed = re.findall(r"'sha256-([^']+)'", policy)
    digests = [base64.b64encode(hashlib.sha256(text).digest()).decode() for text in (script.encode(), library)]
    assert allowed == digests
    assert library.decode() == plotly_source()[0]


def test_equal_reports_are_equal_bytes(matmul: str) -> None:
    assert matmul == render_html(report(MATMUL + SCALE.format("scale"), "haswell", "v100"))


def test_the_table_has_a_row_for_each_nest_and_machine() -> None:
    """2n^3 FLOP of the product and n of the scaling."""
    found = page(MATMUL + SCALE.format("scale"), "haswell", "v100")
    assert [(row["data-kind"], row["data-machine"]) for row in found.all("tr") if "data-kind" in row] == [
        ("memory", "0"),
        ("memory", "1"),
        ("memory", "0"),
        ("memory", "1"),
    ]
    flops = [float(str(cell["data-value"])) for cell in found.all("td", **{"class": "flops number"})]
    assert flops == [2e9, 2e9, 1000, 1000]
    headings = [heading for heading in found.all("th") if "aria-sort" in heading]
    assert len(headings) == 10
    assert {heading["aria-sort"] for heading in headings} == {"none"}


def test_without_a_machine_there_are_counts_alone() -> None:
    found = page(MATMUL, n=None)
    assert not found.all("div", id="plot")
    assert not found.all("select")
    assert "2*n^3" in found.text("td")


def test_long_formulas_are_cut_after_a_term_and_whole_in_the_details() -> None:
    sizes = [f"n{number}" for number in range(4)]
    loops = "".join(f"  for (int i{size} = 1; i{size} < {size}; i{size}++)\n" for size in sizes)
    source = f"void f({', '.join(f'int {size}' for size in sizes)}, double *a)\n{{\n{loops}    a[in0] += 2.0;\n}}\n"
    found = page(source, "haswell", n=None)
    (cut,) = (str(span["title"]) for span in found.all("span") if "n0*n1*n2*n3" in str(span.get("title")))
    shown = [text for text in found.texts["td"] if text.endswith(" …")]
    assert any(cut.startswith(text.removesuffix("…")) for text in shown)
    assert cut in found.text("dd")


def test_a_file_without_loops() -> None:
    assert "No loop was found." in page("int x;\n", "v100").text("p")


def test_names_of_the_user_stay_text() -> None:
    evil = "<script>alert(1)</script>\"'&.c"
    comment = "// </script><script>window.pwned = 1</script> {{ 7 * 7 }}\n"
    text = render_html(report(comment + SCALE.format("scale"), "v100", path=evil))
    found = Page(text)
    assert evil in found.text("h3")
    assert comment.strip() in found.text("code")
    scripts = found.all("script")
    assert [script.get("type") for script in scripts] == ["application/json", "text/plain", None]
    assert "pwned" not in found.text("script")
    assert "<script>alert" not in text
    assert "49" not in found.text("code")


def test_names_in_the_plot_are_not_markup() -> None:
    """plotly.js reads a little HTML in texts, so that names are escaped in them."""
    made = report(SCALE.format("scale"), "v100", path="<b>.c")
    machine = replace(made.machines[0], name="<i>%{x}")
    files = [AnalyzedFile(file.profile) for file in made.files]
    made = make_report(files, [machine], ProjectionOptions(), version="0", options={})
    plot = plot_of(made, anchors_of(made))
    assert plot is not None
    told = json.dumps(plot.traces)
    assert "&lt;b&gt;.c:3" in told
    assert "&lt;i&gt;%{x}" in told
    assert "<i>%" not in told
    assert "hovertemplate" not in told


def test_the_plot_is_one_that_plotly_takes() -> None:
    from plotly.graph_objects import Figure

    gather = "void g(int n, int *x, double *a, double *b) { for (int i = 0; i < n; i++) a[i] += 3 * b[x[i]]; }"
    made = report(MATMUL + gather, "haswell", "v100")
    position = anchors_of(made)[0].region.profile.span
    plot = plot_of(made, anchors_of(made), measured=[Measured(position.path, position.line, "v100", 1.0, 1e11)])
    assert plot is not None
    figure = Figure({"data": list(plot.traces), "layout": dict(plot.layout)})
    roles = Counter(trace.meta["role"] for trace in figure.data)
    assert roles["point"] == 2
    assert roles["levels"]
    assert roles["measured"] == 1
    points = [trace for trace in figure.data if trace.meta["role"] == "point"]
    assert points[0].x[0] == pytest.approx(62.5, rel=0.2)
    assert points[0].customdata == ("file-1-line-3", "file-1-line-8")
    ranges = [trace for trace in figure.data if trace.meta["role"] == "range" and trace.error_x.array]
    assert [list(trace.x) for trace in ranges] == [[points[0].x[1]], [points[1].x[1]]]  # of the gather alone
    assert all(end > 0 for trace in ranges for end in trace.error_x.array)
    (gap,) = (trace for trace in figure.data if trace.meta["role"] == "measured")
    assert (gap.x[1], gap.y[1]) == (1.0, 1e11)


def test_a_point_tells_kernel_line_intensity_bound_and_reason() -> None:
    """1 FLOP for 24 bytes (a line is loaded before it is stored) of 50 GB/s."""
    made = report(SCALE.format("scale"), "haswell", n=10**6)
    plot = plot_of(made, anchors_of(made))
    assert plot is not None
    (points,) = (trace for trace in plot.traces if trace["meta"]["role"] == "point")
    (told,) = points["hovertext"]
    for part in ("scale:3-4", "k.c:3", "AI 0.04167 FLOP/byte", "2.083 GFLOP/s", "memory (DRAM)", "below the ridge"):
        assert part in told
    assert points["customdata"] == ["file-1-line-3"]


def test_one_machine_has_a_colour_for_each_level() -> None:
    made = report(MATMUL, "haswell")
    plot = plot_of(made, anchors_of(made))
    assert plot is not None
    slopes = [trace["line"]["color"] for trace in plot.traces if "slope" in trace["meta"]]
    assert slopes == [f"var(--level-{number})" for number in (1, 2, 3, 4)]
    (levels,) = (trace for trace in plot.traces if trace["meta"]["role"] == "levels")
    assert sorted(levels["marker"]["line"]["color"]) == slopes


def test_levels_of_different_regions_are_not_joined() -> None:
    made = report(MATMUL + MATMUL.replace("mm", "nn"), "haswell")
    plot = plot_of(made, anchors_of(made))
    assert plot is not None
    (levels,) = (trace for trace in plot.traces if trace["meta"]["role"] == "levels")
    assert [x is None for x in levels["x"]] == [False] * 4 + [True] + [False] * 4
    assert len(levels["hovertext"]) == len(levels["y"]) == len(levels["marker"]["line"]["color"]) == 9


def test_points_that_lie_on_one_another_name_all() -> None:
    made = report(SCALE.format("one") + SCALE.format("two"), "haswell", n=10**6)
    plot = plot_of(made, anchors_of(made))
    assert plot is not None
    (points,) = (trace for trace in plot.traces if trace["meta"]["role"] == "point")
    assert points["text"] == ["1, 2", ""]
    assert "here too: two:8-9" in points["hovertext"][0]


def test_a_range_is_a_path() -> None:
    profiles = analyze(SourceFile("k.c", MATMUL, Language.C), AnalysisOptions())
    machines, options = [find_machine("haswell")], ProjectionOptions()
    made = make_report(profiles, machines, options)
    points = tuple(sweep_point([rebound(file, "n", value) for file in profiles], made, value) for value in (10, 1000))
    sweep = Sweep("n", points)
    plot = plot_of(made, anchors_of(made), sweep)
    assert plot is not None
    (path,) = (trace for trace in plot.traces if trace["meta"]["role"] == "path")
    assert path["x"] == [0.625, 62.5]
    assert "Over the size" in Page(render_html(made, sweep)).text("h2")


def test_the_margin_has_the_bound_of_every_loop() -> None:
    (file,) = report(MATMUL, "haswell").files
    lines = {line.number: line for block in source_of(file, 0).blocks for line in block.lines}
    assert [[margin.text for margin in lines[number].margins] for number in range(3, 7)] == [
        ["memory (L2), 17.9 GFLOP/s"],
        ["memory (L2)"],
        ["memory (L2)"],
        [],
    ]
    assert [len(lines[number].stripes) for number in range(2, 8)] == [0, 1, 2, 3, 3, 0]
    assert (lines[6].flops, lines[6].runs) == ("2e9", "1e9")


def test_lines_far_from_what_is_counted_are_folded() -> None:
    unused = "".join(f"int unused{number};\n" for number in range(40))
    (file,) = report(SCALE.format("one") + unused + SCALE.format("two"), "haswell").files
    blocks = source_of(file, 0).blocks
    assert [block.folded for block in blocks] == [False, True, False]
    assert [line.number for block in blocks for line in block.lines] == list(range(1, 51))
    assert len(blocks[1].lines) > 30


def test_codes_are_explained(matmul: str) -> None:
    found = Page(matmul)
    codes = {str(details["id"]).removeprefix("code-") for details in found.all("details") if "id" in details}
    assert {"AI305", "AI402"} <= codes
    assert "What to do" in found.text("details")


def options(*arguments: str) -> Any:
    return analyze_options(analyze_parser().parse_args(["kernel.c", *arguments]))


def test_a_missing_extra_is_told_with_the_command_that_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def lacking(name: str) -> Any:
        return None if name == "plotly" else find_spec(name)

    monkeypatch.setattr("cli.options.find_spec", lacking)
    with pytest.raises(OptionError, match=r"needs plotly .*pip install 'ai-estimate\[html\]'"):
        options("--format", "html", "-o", "report.html")


def test_a_terminal_gets_no_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    with pytest.raises(OptionError, match=r"-o report\.html"):
        options("--format", "html")
    assert options("--format", "html", "-o", "report.html").output == "report.html"


def test_narrow_pages_label_each_figure_of_the_first_table() -> None:
    """A row is a card there: without a label a cell would say nothing."""
    found = page(SCALE.format("scale"), "haswell")
    assert {"time", "bound", "bytes"} <= {cell.get("data-label") for cell in found.all("td")}
    assert [table["class"] for table in found.all("table")][:2] == ["first cards", "cards"]


def test_each_card_has_its_nest_and_what_is_of_one_machine_says_which() -> None:
    made = render_html(report(MATMUL, "haswell", "v100"))
    first = made[made.index('<table class="first') :]
    rows = re.findall(r"<tr role=\"row\">(.*?)</tr>", first[first.index("<tbody") : first.index("</tbody>")], re.DOTALL)
    assert [bool(re.search(r'class="name[^>]*>[^\n]*mm:3-6', row)) for row in rows] == [True, True]
    assert "limits and advice below are those on haswell-e5-2695v3, the first one" in made
    assert "<dt>Bytes, haswell-e5-2695v3</dt>" in made
    alone = render_html(report(MATMUL, "haswell"))
    assert "<dt>Bytes</dt>" in alone
    assert "the first one" not in alone


def test_long_lists_of_points_show_what_costs_most() -> None:
    """40 loops of n iterations and the last of n^2: it is among the 24 listed, and 17 are folded."""
    text = "".join(SCALE.format(f"f{number}") for number in range(40)) + MATMUL
    found = report(text, "haswell")
    last = anchors_of(found)[-1]
    plot = plot_of(found, anchors_of(found), order=[last.location])
    assert plot is not None
    (marks,) = plot.marks
    assert (len(marks.hottest), len(marks.others), marks.without) == (24, 17, ())
    assert marks.hottest[-1].number == last.number
    (trace,) = [trace for trace in plot.traces if trace["meta"]["role"] == "point"]
    assert [color == "var(--faint)" for color in trace["marker"]["color"]].count(True) == 17
    assert "41" in trace["text"][-1]


def test_regions_without_a_point_are_apart() -> None:
    text = SCALE.format("scale") + "void copy(int n, double *a, double *b) { for (int i = 0; i < n; i++) a[i] = b[i]; }"
    plot = plot_of(found := report(text, "haswell"), anchors_of(found))
    assert plot is not None
    assert [(len(marks.hottest), len(marks.without)) for marks in plot.marks] == [(1, 1)]


def test_rows_without_times_are_in_the_order_of_the_first_screen() -> None:
    """The product of n^3 has no time, as the loop of 4 iterations has; by time alone it came last."""
    few = "void few(double *a) { for (int i = 0; i < 4; i++) a[i] = 2; }\n"
    rendered = render_html(report(few + MATMUL, "haswell", n=None))
    rows = rendered.partition('id="rows"')[2]
    assert rows.index(">mm:") < rows.index(">few:")


def test_loops_of_other_files_are_not_in_the_margin_of_a_source() -> None:
    """``outer`` calls a function whose loop is in line 11 of another file; line 11 of its own file is none."""
    outer = (
        "void helper(int n, double *x);\nvoid outer(int n, double *x) {\n  for (int i = 0; i < n; i++) {\n"
        "    helper(n, x);\n    x[i] = 1;\n  }\n}\n" + "/* a comment */\n" * 9
    )
    helper = "\n" * 9 + "void helper(int n, double *x) {\n  for (int j = 0; j < n; j++)\n    x[j] *= 2;\n}\n"
    files = [SourceFile("a.c", outer, Language.C), SourceFile("b.c", helper, Language.C)]
    file = estimate(files, "haswell").files[0]
    lines = [line for block in source_of(file, 0).blocks for line in block.lines]
    assert [line.number for line in lines if line.margins] == [3]
    assert file.regions[0].profile.last_line == 6


def test_options_and_factors_are_where_lines_break() -> None:
    assert str(_with_options("(--cores 1)")) == '(<span class="option">--cores</span> 1)'
    assert str(_breakable("20*A.rows*trip + g->x/n")) == "20*A.rows*<wbr>trip + g<wbr>-&gt;x/<wbr>n"
