"""The report as one HTML page that stands alone: styles, scripts and the plotting library are inside.

Everything is in the page as text, sorted and filtered without the server that there is not; the scripts add the
interactive roofline.  Names of the user's are escaped by the template; a policy in the page forbids every request and
every script but the two that it names by their digest.  The page has no date, so that equal reports are equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup, escape

from roofline.report.report import Report
from roofline.report.sweep import Sweep

from ...visible import visible_in
from ..plot_data.roofline import Measured
from ..typesetting.sheet import Sheet
from ..words.remarks import Remark
from ..words.sweep import sweep_sheets
from .anchors import anchors_of
from .findings import codes_in, details_of, findings_of
from .first import first_of, is_long
from .plot import plot_of, plotly_source
from .rows import BOUNDS, columns_of, rows_of
from .source import highlighting_css, source_of

_CODE = re.compile(r"(?<=\[)(AI\d{3})(?=\])")
_BREAK = re.compile(
    r"(?<=[^\d\W]\*)|(?<=\)\*)|(?<=[^\W\d]\d\*)|(?<=[\w…]/)(?=\D)|(?<=\w)(?=->)|(?<=\w)(?=\.[^\W\d]\w{4})"
)
_OPTION = re.compile(r"((?<![\w-])--?[A-Za-z][\w-]*)")


def render_html(
    report: Report, sweep: Sweep | None = None, measured: Iterable[Measured] = (), compared: Sequence[Sheet] = ()
) -> str:
    """Render the page; ``measured`` are the partners of points of the roofline, ``compared`` the tables of both."""
    anchors = anchors_of(report)
    details, findings = details_of(anchors), findings_of(report, anchors)
    codes = codes_in(findings, details)
    machines = len(report.machines)
    first = first_of(report, {anchor.location: anchor.details for anchor in reversed(anchors)})
    plot = plot_of(report, anchors, sweep, tuple(measured), first.order)
    script = _part("report.js")
    library, packed = plotly_source() if plot is not None else ("", "")
    return (
        _environment()
        .from_string(_part("report.html"))
        .render(
            report=report,
            title=_title(report),
            policy=_policy(script, library),
            css=Markup(_part("report.css") + highlighting_css(".code")),
            script=Markup(script),
            plotly=packed,
            first=first,
            columns=columns_of(machines),
            rows=rows_of(anchors, machines, first.order),
            bounds=[bound for bound in BOUNDS if machines],
            plot=plot,
            drawn=None if plot is None else visible_in({"traces": plot.traces, "layout": plot.layout}),
            details=details,
            compared=compared,
            sheets=[] if sweep is None else list(sweep_sheets(sweep)),
            sources=[source_of(file, position) for position, file in enumerate(report.files)],
            findings=findings,
            codes=codes,
            known_codes=frozenset(code.code for code in codes),
        )
    )


def _title(report: Report) -> str:
    names = [file.profile.path.rpartition("/")[2] for file in report.files]
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more" if names else "no file"


def _policy(*scripts: str) -> str:
    """Return the content security policy: nothing is loaded, and only these scripts run."""
    digests = [base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii") for script in scripts]
    allowed = " ".join(f"'sha256-{digest}'" for digest in digests)
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )


def _part(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


@cache
def _environment() -> Environment:
    made = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    made.filters["coded"] = _coded
    made.filters["with_codes"] = _with_codes
    made.filters["is_long"] = is_long
    made.filters["breakable"] = _breakable
    return made


def _coded(text: str | Remark) -> Markup:
    """Escape a text, with the code of a remark as a link to what it means."""
    if not isinstance(text, Remark):
        return escape(text)
    return escape(text.text) + Markup(' [<a href="#code-{0}">{0}</a>]').format(text.code)


def _breakable(text: str) -> Markup:
    """Escape a formula or a path, which may be broken between factors, folders and members."""
    return Markup("<wbr>").join(_BREAK.split(text))


def _with_codes(text: str, known: frozenset[str]) -> Markup:
    """Escape a text, with the codes in brackets that are ``known`` to the page as links."""
    parts = _CODE.split(text)
    linked = Markup('<a href="#code-{0}">{0}</a>')
    return Markup("").join(linked.format(part) if part in known else _with_options(part) for part in parts)


def _with_options(text: str) -> Markup:
    """Escape a text, with options of the command line marked, so that no line breaks within them."""
    return Markup("").join(
        Markup('<span class="option">{}</span>').format(part) if _OPTION.fullmatch(part) else part
        for part in _OPTION.split(text)
    )
