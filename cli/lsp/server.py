"""The protocol: documents that open, change, are saved and close; lenses, hovers and diagnostics for them.

Only this module imports pygls and lsprotocol. A text is analyzed a while after the last key (at once when it is opened
or saved); until then the editor shows the results of the text before.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping, Sequence

from lsprotocol import types
from msgspec import Struct, field
from pygls.lsp.server import LanguageServer
from pygls.uris import to_fs_path

from analyzer.errors import OptionError
from roofline.version import VERSION

from ..visible import visible
from .messages import Edit, Insight, Problem
from .protocol import AnsweringProtocol
from .settings import SECTION, Settings, parse_settings
from .worker import AnalysisFailed, Request, Worker

DERIVATION = "ai-estimate.derivation"
_SOURCE = "ai-estimate"
_GRACE_S = 2.0
_SUFFIXES = {"c": ".c", "cpp": ".cpp", "cuda-cpp": ".cu", "cuda": ".cu", "markdown": ".md"}


class _OpenDocument(Struct):
    """The insight into one open document, and the task that renews it."""

    insight: Insight = field(default_factory=Insight)
    task: asyncio.Task[None] | None = None


class Server(LanguageServer):
    """The server with its settings, its worker, and the open documents."""

    def __init__(self) -> None:
        """Start nothing yet: the folder to work in comes with the first message."""
        super().__init__(_SOURCE, VERSION, protocol_cls=AnsweringProtocol)
        self.settings = Settings()
        self.worker = Worker()
        self.open_documents: dict[str, _OpenDocument] = {}
        self.complaint = ""
        self.was_shut_down = False
        self.exit_code = 0

    def begin(self, params: types.InitializeParams) -> None:
        """Take over the options of the client."""
        root = params.workspace_folders[0].uri if params.workspace_folders else params.root_uri
        self.worker = Worker(to_fs_path(root) if root else None)
        self.configure(params.initialization_options)

    def configure(self, options: object) -> None:
        """Read settings; wrong ones are reported, and the present ones stay."""
        try:
            self.settings = parse_settings(options)
        except OptionError as error:
            self.complain(str(error))

    def complain(self, text: str) -> None:
        """Show a message once, until there is another."""
        if text and text != self.complaint:
            self.window_show_message(types.ShowMessageParams(types.MessageType.Error, f"{_SOURCE}: {visible(text)}"))
        self.complaint = text

    def log(self, text: str) -> None:
        """Put a text into the log of the editor."""
        self.window_log_message(types.LogMessageParams(types.MessageType.Error, visible(text)))

    def look(self, uri: str, delay_s: float) -> None:
        """Analyze a document after a while, instead of an analysis that is still to come for it."""
        state = self.open_documents.setdefault(uri, _OpenDocument())
        if state.task is not None and not state.task.done():
            state.task.cancel()
            self.worker.hurry(_GRACE_S)
        state.task = asyncio.get_running_loop().create_task(self._look(uri, delay_s))

    def look_again(self) -> None:
        """Analyze every open document anew."""
        for uri in tuple(self.open_documents):
            self.look(uri, 0.0)

    async def settled(self, uri: str) -> Insight | None:
        """Return the insight into a document, once its analysis is done; None where it is not open."""
        state = self.open_documents.get(uri)
        if state is None:
            return None
        if state.task is not None and not state.task.done():
            await asyncio.wait([state.task], timeout=self.settings.limit)
        return state.insight

    async def forget(self, uri: str) -> None:
        """Drop a document that was closed, with its diagnostics."""
        state = self.open_documents.pop(uri, None)
        if state is not None and state.task is not None:
            state.task.cancel()
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))

    async def _look(self, uri: str, delay_s: float) -> None:
        await asyncio.sleep(delay_s)
        document = self.workspace.get_text_document(uri)
        number, language = document.version, document.language_id or ""
        try:
            text = document.source
        except (OSError, UnicodeError):  # one that was never opened, and is no file
            return
        request = Request(
            _path(uri, language), text, language, self.settings.arguments, self.settings.rules, self.settings.advise
        )
        asked = asyncio.current_task()
        answer = asyncio.ensure_future(
            self.worker.analyze(
                request,
                limit_s=self.settings.limit,
                is_wanted=lambda: uri in self.open_documents and self.open_documents[uri].task is asked,
            )
        )
        answer.add_done_callback(lambda done: done.cancelled() or done.exception())  # it may outlive who asked
        try:
            insight = await asyncio.shield(answer)
        except AnalysisFailed as error:
            self.log(str(error))
            return
        state = self.open_documents.get(uri)
        if state is None or insight is None:
            return
        self.complain(insight.complaint)
        state.insight = insight
        diagnostics = [_diagnostic(problem) for problem in insight.problems]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, diagnostics, number))
        if self._can_refresh():
            with contextlib.suppress(Exception):  # a client that refuses still has the lenses of its next request
                await self.workspace_code_lens_refresh_async(None)

    def _can_refresh(self) -> bool:
        workspace = self.client_capabilities.workspace
        return bool(workspace and workspace.code_lens and workspace.code_lens.refresh_support)


def make_server() -> Server:
    """Return the server with its features."""
    server = Server()
    logging.getLogger("pygls").setLevel(logging.CRITICAL)  # errors that it logs as tracebacks are answered, or reported
    _follow_documents(server)
    _answer_requests(server)
    return server


def _follow_documents(server: Server) -> None:
    """Let the server look at documents as they are opened, changed, saved and closed, and at its settings."""

    @server.feature(types.INITIALIZE)
    def _initialize(params: types.InitializeParams) -> None:
        server.begin(params)

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    async def _open(params: types.DidOpenTextDocumentParams) -> None:
        server.look(params.text_document.uri, 0.0)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    async def _change(params: types.DidChangeTextDocumentParams) -> None:
        server.look(params.text_document.uri, server.settings.debounce)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def _save(params: types.DidSaveTextDocumentParams) -> None:
        server.look(params.text_document.uri, 0.0)

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    async def _close(params: types.DidCloseTextDocumentParams) -> None:
        await server.forget(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def _configure(params: types.DidChangeConfigurationParams) -> None:
        if isinstance(params.settings, Mapping) and SECTION in params.settings:
            server.configure(params.settings)
            server.look_again()


def _answer_requests(server: Server) -> None:
    """Let the server answer with lenses, hovers and derivations, and end."""

    @server.feature(types.TEXT_DOCUMENT_CODE_LENS)
    async def _lenses(params: types.CodeLensParams) -> list[types.CodeLens]:
        uri = params.text_document.uri
        insight = await server.settled(uri)
        if insight is None or not server.settings.lenses:
            return []
        return [
            types.CodeLens(_range(lens.line, 0, 0), types.Command(lens.title, DERIVATION, None, [uri, lens.line]))
            for lens in insight.lenses
        ]

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    async def _hover(params: types.HoverParams) -> types.Hover | None:
        insight = await server.settled(params.text_document.uri)
        found = None if insight is None else insight.hover_at(params.position.line)
        if found is None:
            return None
        content = types.MarkupContent(types.MarkupKind.Markdown, f"```text\n{found.text}\n```")
        return types.Hover(content, _range(found.line, 0, 0))

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, types.CodeActionOptions([types.CodeActionKind.RefactorRewrite]))
    async def _actions(params: types.CodeActionParams) -> list[types.CodeAction]:
        uri, first, last = params.text_document.uri, params.range.start.line, params.range.end.line
        if not _is_asked_for(types.CodeActionKind.RefactorRewrite, params.context.only):
            return []
        insight = await server.settled(uri)
        actions = () if insight is None else insight.actions
        return [
            types.CodeAction(
                f"{_SOURCE}: {action.title}",
                types.CodeActionKind.RefactorRewrite,
                edit=types.WorkspaceEdit({uri: [_text_edit(edit) for edit in action.edits]}),
            )
            for action in actions
            if action.line <= last and first <= action.end_line
        ]

    @server.command(DERIVATION)
    async def _derivation(uri: str = "", line: int = -1) -> str | None:
        insight = await server.settled(uri)
        found = None if insight is None else insight.hover_at(line)
        return None if found is None else found.text

    @server.feature(types.SHUTDOWN)
    def _shutdown(params: None) -> None:
        server.was_shut_down = True
        server.worker.close()  # without waiting: an editor may send ``exit`` before it has the answer

    @server.feature(types.EXIT)
    def _exit(params: None) -> None:
        server.exit_code = 0 if server.was_shut_down else 1  # pygls leaves with neither


def _is_asked_for(kind: str, only: Sequence[str] | None) -> bool:
    """Return whether an editor asks for a kind of code action: for all kinds, for it, or for one that it is part of."""
    return not only or any(kind == asked or kind.startswith(f"{asked}.") for asked in only)


def _path(uri: str, language: str) -> str:
    """Return the file of a document; one that was never saved is called by its language."""
    return to_fs_path(uri) or f"untitled{_SUFFIXES.get(language, '.c')}"


def _diagnostic(problem: Problem) -> types.Diagnostic:
    return types.Diagnostic(
        _range(problem.line, problem.column, problem.end_column),
        problem.message,
        types.DiagnosticSeverity(problem.severity),
        problem.code,
        source=_SOURCE,
    )


def _text_edit(edit: Edit) -> types.TextEdit:
    start, end = types.Position(edit.line, edit.column), types.Position(edit.end_line, edit.end_column)
    return types.TextEdit(types.Range(start, end), edit.text)


def _range(line: int, column: int, end_column: int) -> types.Range:
    return types.Range(types.Position(line, column), types.Position(line, end_column))
