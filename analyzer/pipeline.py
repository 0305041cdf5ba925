"""The whole analysis of one source: the only module that sees every stage.

``source -> frontend -> IR -> domains and relations -> work -> FileProfile -> traffic -> AnalyzedFile``
"""

from __future__ import annotations

from msgspec.structs import replace

from .annotations.apply import stated_values
from .annotations.parse import read_annotations
from .diagnostics import Diagnostic, unreadable
from .errors import SourceError
from .frontend.function_usage import function_usage
from .frontend.mentions import names_to_give
from .frontend.text.left_out import loops_left_out
from .frontend.text.markdown import code_blocks, is_markdown
from .given_data.binding import names_of, used_in
from .given_values import given_values
from .ir.written.text import region_text
from .limits.hard_limit import ENDED, GIVEN_UP, Account, cause_of, hard_limit
from .limits.recursion import deep_recursion
from .options import AnalysisOptions
from .profile import AnalyzedFile, FileProfile
from .source import SourceFile, Span
from .stages.counting import counted
from .stages.lowering import lowered_file, used_names
from .stages.reading import linked, read_source

_LOST = frozenset({"AI001", "AI213"})  # syntax errors, and parts left out


def analyze(source: SourceFile, options: AnalysisOptions | None = None) -> tuple[AnalyzedFile, ...]:
    """Analyze one source: one result, or one for each code block of a Markdown file.

    Raises ``SourceError`` where nothing can be read and ``OptionError`` for options that make no sense.
    """
    chosen = options or AnalysisOptions()
    account = Account(chosen.budget_s)
    try:
        with deep_recursion(), hard_limit(account.left(ENDED)):
            if not is_markdown(source.path):
                return (_analyze(source, chosen, account),)
            blocks = code_blocks(source)
            if not blocks:
                raise SourceError("has no code block of C, C++ or CUDA", path=source.path, hint="fence it with ```c")
            return tuple(_analyze(block, chosen, account) for block in blocks)
    except GIVEN_UP as error:
        raise unreadable(source.path, cause_of(error)) from None


def _analyze(source: SourceFile, options: AnalysisOptions, account: Account) -> AnalyzedFile:
    comments = read_annotations(source.text, source.path, source.first_line)
    given = given_values(options.defines)
    stated_names = reversed(stated_values(comments.annotations, given.values)[0])
    macros = {stated.name: str(stated.value) for stated in stated_names}
    options = replace(options, defines={**macros, **options.defines})
    parsed, ambiguous = linked(source, read_source(source, options, account), options, account)
    lowered = lowered_file(source, parsed.unit, comments.annotations, given, options, account)
    analyzed, left_out = counted(lowered.regions, lowered.counting, account)
    diagnostics = [*parsed.diagnostics, *ambiguous, *left_out, *lowered.missing, *comments.diagnostics]
    diagnostics += lowered.diagnostics
    if not analyzed and not any(found.code in _LOST for found in diagnostics):
        diagnostics.append(_nothing(source, options))
    profile = FileProfile(
        path=source.path,
        language=source.language,
        frontend=parsed.frontend,
        regions=tuple(region for region, _ in analyzed),
        diagnostics=tuple(sorted(dict.fromkeys(diagnostics), key=lambda found: (found.span.line, found.code))),
        ir_text="\n".join(region_text(region) for region in lowered.regions) if options.ir else "",
        source_text=source.text,
        first_line=source.first_line,
        annotations=comments.annotations,
        used=used_names(source, parsed, lowered, options, account),
        names=names_to_give(source, lowered.unbound),
        usage=function_usage(parsed.unit),
        given=used_in(lowered.unbound, lowered.arrays),
        arrays=names_of(lowered.unbound),
    )
    return AnalyzedFile(profile, tuple(traffic for _, traffic in analyzed))


def _nothing(source: SourceFile, options: AnalysisOptions) -> Diagnostic:
    span = Span(source.path, source.first_line, source.first_line)
    if options.functions:
        return Diagnostic.of("AI004", span, "no-function", names=options.functions)
    if options.lines:
        first, last = options.lines
        return Diagnostic.of("AI004", span, "no-line", first=first, last=last)
    left_out = loops_left_out(source.text, options.defines)
    if left_out is not None:
        macro, loops = left_out
        return Diagnostic.of("AI004", span, "left-out", macro=macro, loops=loops)
    return Diagnostic.of("AI004", span, "no-loop")


__all__ = ["AnalyzedFile", "analyze"]
