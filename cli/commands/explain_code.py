"""``ai-estimate explain CODE``: the documentation of diagnostic codes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from analyzer.diagnostics import CodeInfo, catalog
from analyzer.errors import OptionError
from analyzer.near_names import did_you_mean
from analyzer.python.regex import regex

from ..output import write_standard
from ..parser import explain_parser

_CODE = regex(r"AI\d{3}")
_GROUPS = {
    "AI0": "reading the source",
    "AI1": "rules of check",
    "AI2": "figures that are not exact",
    "AI3": "assumptions",
    "AI4": "advice",
}


def run_explain(arguments: Sequence[str]) -> int:
    """Run the command and return the exit code; an unknown code raises ``OptionError``."""
    parsed = explain_parser().parse_args(arguments)
    codes = parsed.codes
    if parsed.format == "markdown":
        write_standard("\n".join(map(_page, map(_find, codes) if codes else catalog().values())))
        return 0
    if not codes:
        write_standard("".join(f"{info.code}  {info.severity.value:<8} {info.title}\n" for info in catalog().values()))
        return 0
    write_standard("\n".join(explain(_find(code)) for code in codes))
    return 0


def explain(info: CodeInfo) -> str:
    """Return the meaning of a code, an example, and advice."""
    parts = [f"{info.code}: {info.title} ({info.severity.value})", info.meaning]
    if info.why:
        parts.append(f"Why it matters: {info.why}")
    parts += ["Example:", _indented(info.example), f"Reported by: {info.command}"]
    parts += [f"with {name}:\n\n{_indented(text)}" for name, text in info.files.items()]
    parts += ["Passes:", _indented(info.passes)] if info.passes else []
    parts += ["Instead:", _indented(info.instead)] if info.why else [f"What to do: {info.instead}"]
    if info.references:
        parts.append("References: " + "; ".join(info.references))
    return "\n\n".join(parts) + "\n"


def _page(info: CodeInfo) -> str:
    """Return the explanation of a code as a section of Markdown."""
    parts = [f"## {info.code}: {info.title}", info.meaning]
    parts += [f"**Why it matters.** {info.why}"] * bool(info.why)
    parts += [f"**Example** (`{info.command}`)\n\n```c\n{info.example.strip()}\n```"] * bool(info.example)
    parts += [f"**Passes**\n\n```c\n{info.passes.strip()}\n```"] * bool(info.passes)
    if info.instead:
        parts.append(f"**Instead**\n\n```c\n{info.instead.strip()}\n```" if info.why else info.instead)
    if info.references:
        parts.append("**References**\n\n" + "\n".join(f"- {reference}" for reference in info.references))
    return "\n\n".join(parts) + "\n"


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.strip("\n").split("\n"))


def _find(code: str) -> CodeInfo:
    known = catalog()
    found = known.get(code.upper())
    if found is None:
        hint = _near(code.upper(), known) or _ranges(known)
        raise OptionError(f"no diagnostic has the code {code!r}", hint=hint)
    return found


def _near(code: str, known: Iterable[str]) -> str:
    """Return the question whether a code like this one was meant: of a whole number those of the same hundred."""
    if _CODE.fullmatch(code) is None:
        return did_you_mean(code, known, most=3)
    number = int(code[2:])
    same = sorted((name for name in known if name[:3] == code[:3]), key=lambda name: abs(int(name[2:]) - number))
    return f"did you mean {' or '.join(same[:3])}?" if same else ""


def _ranges(known: Iterable[str]) -> str:
    """Return the first and last code of each group with what it is about."""
    codes = sorted(known)
    groups = [(text, [code for code in codes if code.startswith(begin)]) for begin, text in _GROUPS.items()]
    ranges = "; ".join(f"{group[0]} to {group[-1]}: {text}" for text, group in groups)
    return f"codes are {ranges}; ai-estimate explain lists them"
