"""``ai-estimate lsp`` as an editor drives it: a real client over standard input and output."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

pytest.importorskip("pygls")

from lsprotocol import types
from pygls.lsp.client import LanguageClient

from cli.run.isolated_worker import can_fork

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


def test_another_order_of_loops_is_a_code_action(tmp_path: Path) -> None:
    async def talk(editor: Editor) -> None:
        uri = editor.open("scale.c", COLUMNS)
        where = types.Range(types.Position(3, 0), types.Position(3, 0))
        document = types.TextDocumentIdentifier(uri)
        params = types.CodeActionParams(document, where, types.CodeActionContext([]))
        found = await asyncio.wait_for(editor.client.text_document_code_action_async(params), _PATIENCE_S)
        (action,) = found or ()
        assert isinstance(action, types.CodeAction)
        assert action.edit is not None
        assert action.edit.changes is not None
        edits = action.edit.changes[uri]
        assert [(edit.range.start.line, edit.new_text) for edit in edits] == [
            (2, "int i = 0; i < 1000; i++"),
            (3, "int j = 0; j < 1000; j++"),
        ]

        for only, count in (
            ([], 1),
            (["refactor"], 1),
            (["refactor.rewrite"], 1),
            (["quickfix"], 0),
            (["refactor.re"], 0),
        ):
            context = types.CodeActionContext([], only)
            asked = types.CodeActionParams(document, where, context)
            assert len(await editor.client.text_document_code_action_async(asked) or ()) == count

    session(tmp_path, talk, {"machine": "haswell", "advise": True})


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
        assert "no key 'machines' (did you mean machine?)" in editor.messages[1]
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


BAD_POSITIONS = [(-1, 0), (0, -1), (-(2**31), 0), (2**40, 0), (10**9, 10**9), ("a", 0), (None, None)]


class Wire:
    """The server at the other end of raw messages, as a client that breaks the rules sends them."""

    def __init__(self, folder: Path) -> None:
        start = f"import sys; sys.path.append({str(HOME)!r}); from cli.main import main; sys.exit(main(['lsp']))"
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115  # closed in leave()
        self.server = subprocess.Popen(
            [sys.executable, "-c", start],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, cwd=folder,
        )  # fmt: skip
        self._number = 0
        self.ask("initialize", {"processId": None, "rootUri": None, "capabilities": {}})
        self.notify("initialized", {})

    def send(self, message: object) -> None:
        assert self.server.stdin is not None
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.server.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.server.stdin.flush()

    def notify(self, method: str, params: object) -> None:
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def ask(self, method: str, *params: object) -> dict[str, Any]:
        self._number += 1
        self.send(
            {"jsonrpc": "2.0", "id": self._number, "method": method, **dict(zip(["params"], params, strict=False))}
        )
        return self.answer(self._number)

    def answer(self, number: int) -> dict[str, Any]:
        """Read on to the answer of a request; pytest ends what waits for ever."""
        assert self.server.stdout is not None
        while True:
            length = 0
            while (line := self.server.stdout.readline()) != b"\r\n":
                assert line, "the server has ended"
                if line.lower().startswith(b"content-length:"):
                    length = int(line.split(b":")[1])
            found: dict[str, Any] = json.loads(self.server.stdout.read(length))
            if found.get("id") == number and "method" not in found:
                return found

    def leave(self) -> str:
        """End as the protocol says, and return what the server wrote to standard error."""
        assert self.ask("shutdown").get("result", "missing") is None
        assert self.ask("no/such/method", {})["error"]["code"] == -32600
        self.notify("exit", None)
        assert self.server.wait(_PATIENCE_S) == 0
        assert self.server.stdin is not None
        assert self.server.stdout is not None
        self.server.stdin.close()
        self.server.stdout.close()
        with self._errors:
            self._errors.seek(0)
            return self._errors.read().decode()


def test_every_request_is_answered(tmp_path: Path) -> None:
    wire = Wire(tmp_path)
    uri = (tmp_path / "daxpy.c").as_uri()
    item = {"uri": uri, "languageId": "c", "version": 1, "text": DAXPY}
    wire.notify("textDocument/didOpen", {"textDocument": item})
    document = {"textDocument": {"uri": uri}}
    assert "result" in wire.ask("textDocument/hover", {**document, "position": {"line": 3, "character": 0}})
    for line, character in BAD_POSITIONS:
        position = {"line": line, "character": character}
        found = wire.ask("textDocument/hover", {**document, "position": position})
        assert found.get("result") is None
        assert "error" not in found or found["error"]["code"] == -32602
    for params in ([{}], [[]], [5], [None], []):
        assert wire.ask("textDocument/hover", *params)["error"]["code"] in (-32602, -32603)
        assert wire.ask("textDocument/codeLens", *params)["error"]["code"] in (-32602, -32603)
        assert "error" in wire.ask("workspace/executeCommand", *params)
    assert wire.ask("no/such/method", {})["error"]["code"] == -32601
    for arguments in ([], [uri, -1], [uri, "x"], [{"a": 1}, []], None):
        wire.ask("workspace/executeCommand", {"command": "ai-estimate.derivation", "arguments": arguments})
    for broken in (b"{not json", b"[]", b"5", b'{"jsonrpc": "1.0", "method": "x"}', b"\xff\xfe"):
        wire.send(broken)
    for method in ("textDocument/didChange", "textDocument/didSave", "textDocument/didClose", "textDocument/didOpen"):
        wire.notify(method, {})
        wire.notify(method, {"textDocument": {"uri": "file:///never/opened.c", "version": 1}, "contentChanges": []})
    wire.notify("$/cancelRequest", {"id": 12345})
    wire.notify("no/such/notification", {})
    found = wire.ask("textDocument/hover", {**document, "position": {"line": 3, "character": 0}})
    assert "daxpy" in found["result"]["contents"]["value"]
    assert wire.leave() == ""


@pytest.mark.skipif(not can_fork(), reason="nothing is analyzed in a child here")
def test_a_text_that_crashes_costs_its_time_once(tmp_path: Path) -> None:
    wire = Wire(tmp_path)
    crash, other = (tmp_path / "crash.c").as_uri(), (tmp_path / "daxpy.c").as_uri()
    deep = "void f(int n, double *a) { for (int i = 0; i < n; i++) a[i] = " + "- " * 1_000_000 + "a[i]; }\n"
    for uri, text in ((crash, deep), (other, DAXPY)):
        item = {"uri": uri, "languageId": "c", "version": 1, "text": text}
        wire.notify("textDocument/didOpen", {"textDocument": item})
    assert wire.ask("textDocument/codeLens", {"textDocument": {"uri": crash}})["result"] == []
    before = children_cpu_s(wire.server.pid)
    for _ in range(3):
        wire.notify("textDocument/didSave", {"textDocument": {"uri": crash}})
        assert wire.ask("textDocument/codeLens", {"textDocument": {"uri": crash}})["result"] == []
    assert len(wire.ask("textDocument/codeLens", {"textDocument": {"uri": other}})["result"]) == 1
    assert children_cpu_s(wire.server.pid) - before < max(1.0, before / 2)
    assert wire.leave() == ""


def children_cpu_s(process: int) -> float:
    """Return the CPU seconds of the children of a process, and of those that they have waited for."""
    total = 0
    for child in Path(f"/proc/{process}/task/{process}/children").read_text().split():
        total += sum(map(int, Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[11:15]))
    return total / os.sysconf("SC_CLK_TCK")


def message(identifier: int | None, method: str, parameters: Mapping[str, Any] = MappingProxyType({})) -> bytes:
    """A request, or without an identifier a notification."""
    empty: dict[str, Any] = {"processId": None, "rootUri": None, "capabilities": {}} if method == "initialize" else {}
    number = {} if identifier is None else {"id": identifier}
    body = json.dumps({"jsonrpc": "2.0", **number, "method": method, "params": {**empty, **parameters}}).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def test_an_editor_that_does_not_wait_for_answers_ends_the_server_without_a_word() -> None:
    command = [sys.executable, "-m", "cli", "lsp"]
    document = {"uri": "file:///k.c", "languageId": "c", "version": 1, "text": "void f(int n) { for (; n; n--) ; }"}
    opened = message(None, "textDocument/didOpen", {"textDocument": document})
    text = message(1, "initialize") + opened + message(2, "shutdown") + message(None, "exit")
    ended = subprocess.run(
        command, input=text, capture_output=True, timeout=60, env={**os.environ, "PYTHONPATH": str(HOME)}, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, b"")
    assert b'"id": 2' in ended.stdout or b'"id":2' in ended.stdout


def test_an_end_without_a_shutdown_is_code_1() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "cli", "lsp"],
        input=message(1, "initialize") + message(None, "exit"),
        capture_output=True,
        timeout=60,
        env={**os.environ, "PYTHONPATH": str(HOME)},
        check=False,
    )
    assert (ended.returncode, ended.stderr) == (1, b"")


def test_an_editor_that_is_gone_ends_the_server_without_a_word() -> None:
    command = [sys.executable, "-m", "cli", "lsp"]
    environment = {**os.environ, "PYTHONPATH": str(HOME)}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, env=environment) as server:
        assert server.stdin is not None
        assert server.stdout is not None
        server.stdout.close()
        server.stdin.write(message(1, "initialize") + message(2, "shutdown"))
        server.stdin.flush()
        _, told = server.communicate(timeout=60)
    assert (server.returncode, told) == (0, b"")
