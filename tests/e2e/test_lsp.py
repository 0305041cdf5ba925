"""``ai-estimate lsp`` as an editor drives it: a real client over standard input and output."""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

HOME = Path(__file__).parents[2]
DAXPY = """\
void daxpy(int n, double a, const double *restrict x, double *restrict y)
{
    for (int i = 0; i < n; i++)
        y[i] = y[i] + a * x[i];
}
"""
COLUMNS = """\
void scale(double m[1000][1000])
{
    for (int j = 0; j < 1000; j++)
        for (int i = 0; i < 1000; i++)
            m[i][j] = 2.0 * m[i][j];
}
"""
_PATIENCE_S = 30.0


class Editor:
    """A client that keeps what the server sends."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.client = LanguageClient("test-editor", "1")
        self.published: dict[str, types.PublishDiagnosticsParams] = {}
        self.messages: list[str] = []
        self.log: list[str] = []
        self.refreshes = 0
        self.version = 0

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def _publish(params: types.PublishDiagnosticsParams) -> None:
            self.published[params.uri] = params

        @self.client.feature(types.WINDOW_SHOW_MESSAGE)
        def _message(params: types.ShowMessageParams) -> None:
            self.messages.append(params.message)

        @self.client.feature(types.WINDOW_LOG_MESSAGE)
        def _log(params: types.LogMessageParams) -> None:
            self.log.append(params.message)

        @self.client.feature(types.WORKSPACE_CODE_LENS_REFRESH)
        def _refresh(params: None) -> None:
            self.refreshes += 1

    async def start(self, options: object) -> types.InitializeResult:
        start = f"import sys; sys.path.append({str(HOME)!r}); from cli.main import main; sys.exit(main(['lsp']))"
        await self.client.start_io(sys.executable, "-c", start)
        lens = types.CodeLensWorkspaceClientCapabilities(refresh_support=True)
        found = await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(code_lens=lens)),
                root_uri=self.root.as_uri(),
                initialization_options=options,
            )
        )
        self.client.initialized(types.InitializedParams())
        return found

    async def stop(self) -> int | None:
        await self.client.shutdown_async(None)
        self.client.exit(None)
        process = self.client._server
        assert process is not None
        code = await asyncio.wait_for(process.wait(), _PATIENCE_S)
        await self.client.stop()
        return code

    def uri(self, name: str) -> str:
        return (self.root / name).as_uri()

    def open(self, name: str, text: str, language: str = "c") -> str:
        uri = self.uri(name)
        self.client.text_document_did_open(
            types.DidOpenTextDocumentParams(types.TextDocumentItem(uri, language, self.version, text))
        )
        return uri

    def change(self, uri: str, text: str) -> None:
        self.version += 1
        self.client.text_document_did_change(
            types.DidChangeTextDocumentParams(
                types.VersionedTextDocumentIdentifier(self.version, uri),
                [types.TextDocumentContentChangeWholeDocument(text)],
            )
        )

    async def lenses(self, uri: str) -> list[tuple[int, str]]:
        params = types.CodeLensParams(types.TextDocumentIdentifier(uri))
        found = await asyncio.wait_for(self.client.text_document_code_lens_async(params), _PATIENCE_S)
        return [(lens.range.start.line, lens.command.title) for lens in found or () if lens.command]

    async def hover(self, uri: str, line: int) -> str | None:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, 4))
        found = await asyncio.wait_for(self.client.text_document_hover_async(params), _PATIENCE_S)
        if found is None:
            return None
        assert isinstance(found.contents, types.MarkupContent)
        return found.contents.value

    async def until(self, holds: Callable[[], object]) -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while not holds():
            assert time.monotonic() < deadline, (self.published, self.messages, self.log)
            await asyncio.sleep(0.02)

    def codes(self, uri: str) -> list[str]:
        found = self.published.get(uri)
        return [] if found is None else [str(diagnostic.code) for diagnostic in found.diagnostics]


def session(root: Path, talk: Callable[[Editor], Awaitable[None]], options: object = None) -> None:
    """Start the server, talk, and see that it leaves as the protocol says."""

    async def run() -> None:
        editor = Editor(root)
        await editor.start(options if options is not None else {"machine": "v100"})
        try:
            await talk(editor)
        finally:
            assert await editor.stop() == 0

    asyncio.run(run())


def test_lenses_and_hovers_tell_bound_and_derivation(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.open("daxpy.c", DAXPY)
        ((line, title),) = await editor.lenses(uri)
        assert line == 2
        assert title.startswith("AI 1/12, memory-bound (DRAM) on v100: ")
        assert title.endswith(" GFLOP/s")
        text = await editor.hover(uri, 3)
        assert text is not None
        assert "I = 2 FLOPs / (16 + 8) B = 2/24 = 1/12" in text
        assert "Roofline on NVIDIA Tesla V100" in text
        assert await editor.hover(uri, 0) is None
        params = types.ExecuteCommandParams("ai-estimate.derivation", [uri, 2])
        told = await editor.client.workspace_execute_command_async(params)
        assert str(told) in text
        await editor.until(lambda: editor.refreshes)

    session(tmp_path, talk)


def test_the_unsaved_text_counts(tmp_path: Path) -> None:
    (tmp_path / "daxpy.c").write_text("int nothing;\n")

    async def talk(editor: Editor) -> None:
        uri = editor.open("daxpy.c", DAXPY)
        assert [line for line, _ in await editor.lenses(uri)] == [2]
        editor.change(uri, "\n\n" + DAXPY.replace("a * x[i]", "a * x[i] * x[i]"))
        ((line, title),) = await editor.lenses(uri)
        assert line == 4
        assert title.startswith("AI 1/8, ")

    session(tmp_path, talk)


def test_rules_and_broken_text_become_diagnostics(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.open("columns.c", COLUMNS)
        await editor.until(lambda: "AI105" in editor.codes(uri))
        walk = next(d for d in editor.published[uri].diagnostics if d.code == "AI105")
        assert walk.source == "ai-estimate"
        assert walk.range.start.line in (2, 3, 4)
        editor.change(uri, COLUMNS.replace("{", "", 1))
        await editor.until(lambda: "AI001" in editor.codes(uri) or "AI002" in editor.codes(uri))
        assert any(d.severity is types.DiagnosticSeverity.Error for d in editor.published[uri].diagnostics)
        editor.change(uri, DAXPY)
        await editor.until(lambda: editor.published[uri].version == editor.version)
        assert [line for line, _ in await editor.lenses(uri)] == [2]
        editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await editor.until(lambda: not editor.published[uri].diagnostics)
        assert await editor.lenses(uri) == []

    session(tmp_path, talk)


def test_the_configuration_of_the_folder_holds(tmp_path: Path) -> None:
    (tmp_path / "ai-estimate.toml").write_text(
        'machine = "haswell"\ndefines = { n = 4096 }\n[[budget]]\nfunction = "daxpy"\nmin-ai = 0.5\n'
    )

    async def talk(editor: Editor) -> None:
        uri = editor.open("daxpy.c", DAXPY)
        ((_, title),) = await editor.lenses(uri)
        assert " on haswell-e5-2695v3: " in title
        await editor.until(lambda: "AI101" in editor.codes(uri))
        (tmp_path / "ai-estimate.toml").write_text("machine = 3\n")
        editor.client.text_document_did_save(types.DidSaveTextDocumentParams(types.TextDocumentIdentifier(uri)))
        await editor.until(lambda: editor.messages)
        assert "ai-estimate.toml:1" in editor.messages[0]

    session(tmp_path, talk, {})


def test_settings_change_what_is_shown(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.open("daxpy.c", DAXPY)
        await editor.until(lambda: editor.messages)
        assert "no machine is called 'no-such-machine'" in editor.messages[0]
        assert await editor.lenses(uri) == []

        def configure(settings: dict[str, Any]) -> None:
            changed = types.DidChangeConfigurationParams({"aiEstimate": settings})
            editor.client.workspace_did_change_configuration(changed)

        configure({"machine": ["v100", "haswell"], "defines": {"n": 4096}})
        ((_, title),) = await editor.lenses(uri)
        assert "on v100: " in title
        assert " on haswell-e5-2695v3: " in title
        text = await editor.hover(uri, 2)
        assert text is not None
        assert "n = 4096" in text
        configure({"machines": "v100"})
        await editor.until(lambda: len(editor.messages) == 2)
        assert "no key 'machines'" in editor.messages[1]
        configure({"lenses": False})
        assert await editor.lenses(uri) == []

    session(tmp_path, talk, {"machine": "no-such-machine"})


def test_the_server_outlives_its_worker(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.open("daxpy.c", DAXPY)
        await editor.until(lambda: editor.log)
        assert "took more than" in editor.log[0]
        settings = types.DidChangeConfigurationParams({"aiEstimate": {"machine": "v100", "limit": 30}})
        editor.client.workspace_did_change_configuration(settings)
        assert len(await editor.lenses(uri)) == 1

    session(tmp_path, talk, {"limit": 0.1})


def test_typing_is_answered_while_an_analysis_runs(tmp_path: Path) -> None:
    nests = "\n".join(DAXPY.replace("daxpy", f"daxpy{number}") for number in range(30))

    async def talk(editor: Editor) -> None:
        uri = editor.open("many.c", nests)
        small = editor.open("small.cu", "__global__ void k(float *x) { x[threadIdx.x] = 1.0f; }\n", "cuda-cpp")
        for number in range(20):
            editor.change(uri, f"// {number}\n{nests}")
        params = types.ExecuteCommandParams("ai-estimate.derivation", [editor.uri("not-open.c"), 0])
        assert await editor.client.workspace_execute_command_async(params) is None
        shown = editor.published.get(uri)
        assert shown is None or shown.version != editor.version  # it answers before it knows
        assert len(await editor.lenses(uri)) == 30
        assert len(await editor.lenses(small)) == 1
        assert editor.published[uri].version == editor.version

    session(tmp_path, talk)


def test_markdown_and_unsaved_documents(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        text = "# Notes\n\n```c\nfor (i = 0; i < n; i++)\n  s += a[i] * b[i];\n```\n"
        assert [line for line, _ in await editor.lenses(editor.open("notes.md", text, "markdown"))] == [3]
        item = types.TextDocumentItem("untitled:Untitled-1", "c", 0, DAXPY)
        editor.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        assert [line for line, _ in await editor.lenses("untitled:Untitled-1")] == [2]

    session(tmp_path, talk)
