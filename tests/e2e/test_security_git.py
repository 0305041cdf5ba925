"""Repositories that mean harm, and odd ones: ``check --diff-base`` starts git, and git starts nothing."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from cli.check import changes
from cli.check import git as asked

from ..repositories import committed, git
from ..watched import watched

SCALE = "void f(int n, float *a)\n{\n  for (int i = 0; i < n; i++) a[i] *= 2.1;\n}\n"  # AI111 on line 3
TWO = SCALE + SCALE.replace("f(", "g(")
NAMING = (
    *("core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.gitProxy", "core.askPass"),
    *("core.alternateRefsCommand", "credential.helper", "diff.external", "diff.trap.command", "diff.trap.textconv"),
    *("filter.trap.clean", "filter.trap.smudge", "filter.trap.process", "merge.trap.driver", "gpg.program"),
    *("gpg.ssh.program", "gpg.ssh.defaultKeyCommand", "sequence.editor", "interactive.diffFilter", "web.browser"),
    *("browser.trap.cmd", "trailer.trap.command", "uploadpack.packObjectsHook", "remote.origin.uploadpack"),
    *("remote.origin.vcs", "gc.recentObjectsHook", "pager.diff", "pager.rev-parse", "pager.cat-file", "difftool.cmd"),
)
ASKED = ("rev-parse", "merge-base", "ls-tree", "cat-file", "diff")
HOOKS = ("post-index-change", "reference-transaction", "post-checkout", "pre-auto-gc", "fsmonitor-watchman")


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark where it is run."""
    path = tmp_path / "trap.sh"
    path.write_text(f"#!/bin/sh\ntouch {tmp_path}/sprung\ncat\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one file, and this process in it."""
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "f.c").write_text(TWO)
    monkeypatch.chdir(folder)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    return committed(folder)


def edit(path: Path = Path("f.c")) -> None:
    """Change the first loop."""
    path.write_text(path.read_text().replace("int i = 0", "int i = 1", 1))


def found(run, *files: str, ref: str = "HEAD") -> list[str]:
    """The positions of the findings."""
    done = run("check", *(files or ("f.c",)), "--diff-base", ref)
    assert done.code in (0, 1), done.stderr
    return [line.split(": ")[0] for line in done.stdout.splitlines()[:-1]]


def refused(run, ref: str = "HEAD") -> str:
    done = run("check", "f.c", "--diff-base", ref)
    assert (done.code, done.stdout) == (2, "")
    return str(done.stderr)


def test_git_runs_nothing_of_the_repository(repository: Path, trap: Path) -> None:
    for name in NAMING:
        git(repository, "config", name, str(trap))
    for command in ASKED:
        git(repository, "config", f"alias.{command}", f"!{trap}")
    git(repository, "config", "submodule.sub.update", f"!{trap}")
    git(repository, "config", "core.hooksPath", "hooks")
    (repository / "hooks").mkdir()
    for name in HOOKS:
        (repository / "hooks" / name).symlink_to(trap)
        (repository / ".git" / "hooks" / name).symlink_to(trap)
    (repository / ".gitattributes").write_text("* filter=trap diff=trap merge=trap text eol=crlf ident\n")
    (repository / ".gitmodules").write_text(f'[submodule "sub"]\npath = sub\nurl = x\nupdate = !{trap}\n')
    edit(repository / "f.c")
    done = watched("check", "f.c", "--diff-base", "HEAD", "--no-cache", cwd=repository)
    assert done.stdout.startswith("f.c:3:3: AI111 warning"), done.stderr
    assert "1 warning" in done.stdout
    assert not trap.with_name("sprung").exists()
    started = [line for line in done.stderr.splitlines() if line.startswith("STARTED")]
    assert started
    assert all("/git'" in line.split(",")[0] for line in started)


@pytest.mark.parametrize("guard", ["GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH"])
@pytest.mark.parametrize("remote", ["ext", "vcs", "uploadpack", "ssh"])
def test_nothing_is_fetched(
    run, repository: Path, trap: Path, monkeypatch: pytest.MonkeyPatch, guard: str, remote: str
) -> None:
    """Each of the guards suffices."""
    git(repository, "config", "uploadpack.allowFilter", "true")
    partial = repository.parent / "partial"
    git(repository.parent, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{repository}", str(partial))
    urls = {"ext": f"ext::{trap}", "ssh": "ssh://localhost/x"}
    git(partial, "config", "remote.origin.url", urls.get(remote, f"file://{repository}"))
    for name in ("remote.origin.uploadpack", "core.sshCommand", "core.gitProxy"):
        git(partial, "config", name, str(trap))
    if remote == "vcs":
        git(partial, "config", "remote.origin.vcs", "ext")
        git(partial, "config", "remote.origin.url", str(trap))
    for name in ("protocol.allow", "protocol.ext.allow", "protocol.file.allow"):
        git(partial, "config", name, "always")
    (partial / "f.c").write_text(TWO)
    monkeypatch.chdir(partial)
    guards = {name: value for name, value in asked._FORBIDDING.items() if name not in GUARDS - {guard}}
    monkeypatch.setattr(asked, "_FORBIDDING", guards)
    assert "partial clone" in refused(run)
    assert not trap.with_name("sprung").exists()


GUARDS = {"GIT_ALLOW_PROTOCOL", "GIT_NO_LAZY_FETCH"}


def test_the_environment_of_the_caller_decides_nothing(run, repository: Path, trap: Path, monkeypatch) -> None:
    other = repository.parent / "other"
    other.mkdir()
    (other / "f.c").write_text(SCALE)
    committed(other)
    trace = repository.parent / "trace"
    for name, value in {
        "GIT_DIR": str(other / ".git"),
        "GIT_WORK_TREE": str(other),
        "GIT_INDEX_FILE": str(trace),
        "GIT_OBJECT_DIRECTORY": str(other / ".git" / "objects"),
        "GIT_EXEC_PATH": str(repository.parent),
        "GIT_EXTERNAL_DIFF": str(trap),
        "GIT_PAGER": str(trap),
        "GIT_TRACE": str(trace),
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": "diff.external",
        "GIT_CONFIG_VALUE_0": str(trap),
    }.items():
        monkeypatch.setenv(name, value)
    edit()
    assert found(run) == ["f.c:3:3"]
    assert not trace.exists()
    assert not trap.with_name("sprung").exists()


def test_a_program_of_the_repository_is_not_taken_for_git(run, repository: Path, trap: Path, monkeypatch) -> None:
    (repository / "git").symlink_to(trap)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", os.environ["PATH"]]))
    edit()
    assert found(run) == ["f.c:3:3"]
    assert not trap.with_name("sprung").exists()


def test_texts_are_compared_outside_of_any_repository(run, repository: Path, trap: Path, monkeypatch) -> None:
    place = repository / "temporary"
    place.mkdir()
    git(repository, "config", "diff.context", "9")
    git(repository, "config", "diff.noprefix", "false")
    git(repository, "config", "diff.trap.xfuncname", "^.*$")
    git(repository, "config", "diff.algorithm", "nonsense")
    (repository / ".gitattributes").write_text("* diff=trap -text\n")
    (repository / ".git" / "info" / "attributes").write_text("* diff=trap\n")
    monkeypatch.setattr("tempfile.tempdir", str(place))
    edit()
    assert found(run) == ["f.c:3:3"]


def test_the_configuration_of_the_user_changes_no_comparison(run, repository: Path, monkeypatch) -> None:
    (repository.parent / ".gitconfig").write_text("[diff]\norderFile = /nowhere\n")
    monkeypatch.setenv("HOME", str(repository.parent))
    edit()
    assert found(run) == ["f.c:3:3"]


def test_a_bare_repository_in_a_folder_is_refused(run, repository: Path, trap: Path) -> None:
    (repository / ".git").rename(repository / "hidden")
    for path in (repository / "hidden").iterdir():
        path.rename(repository / path.name)
    (repository / "config").write_text(f"[core]\nbare = false\nworktree = .\nfsmonitor = {trap}\n")
    assert "needs a git repository" in refused(run)
    (repository / ".git").mkdir()
    assert "safe.bareRepository" in refused(run)
    assert not trap.with_name("sprung").exists()


def test_a_configuration_that_never_ends(run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(repository / "pipe")
    with (repository / ".git" / "config").open("a") as stream:
        stream.write("[include]\npath = ../pipe\n")
    monkeypatch.setattr(asked, "_WITHIN_S", 1)
    assert "did not answer within 1 s" in refused(run)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")
def test_repositories_of_others_are_refused(run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SUDO_UID", raising=False)
    monkeypatch.setenv("HOME", str(repository.parent))
    os.chown(repository, 4321, 4321)
    told = refused(run)
    assert "git reads no repository of another user" in told
    assert "safe.directory" in told
    (repository.parent / ".gitconfig").write_text(f"[safe]\ndirectory = {repository}\n")
    assert found(run) == []


def test_a_working_tree_elsewhere_is_refused(run, repository: Path) -> None:
    (repository.parent / "elsewhere").mkdir()
    git(repository, "config", "core.worktree", "../../elsewhere")
    assert "the working tree of its repository" in refused(run)


@pytest.mark.parametrize("ref", ["-x", "--output=x", "nowhere", "HEAD:f.c", "", "a..b"])
def test_what_is_no_commit_is_refused(run, repository: Path, ref: str) -> None:
    done = run("check", "f.c", f"--diff-base={ref}")
    assert (done.code, done.stdout) == (2, "")
    assert "--diff-base" in done.stderr
    assert sorted(os.listdir(repository)) == [".git", "f.c"]


NAMES = [b"-x.c", b":(top)x.c", b":!x.c", b"[a]*?.c", b'a b\t"q".c', b"m\xff.c", "\u00e4.c".encode(), b"--output=x.c"]


def test_names_are_names(run, repository: Path) -> None:
    for name in NAMES:
        Path(os.fsdecode(name)).write_text(SCALE)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "names")
    assert found(run, ".") == []
    for name in NAMES:
        edit(Path(os.fsdecode(name)))
        done = run("check", "--diff-base", "HEAD", "--", os.fsdecode(name))
        assert "1 warning in 1 file" in done.stdout
    assert (
        run("check", ".", "--diff-base", "HEAD").stdout.splitlines()[-1]
        == "8 warnings in 9 files (--format full says what to do)"
    )


def test_a_folder_may_have_any_name(run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = repository / "new\nline"
    folder.mkdir()
    (folder / "f.c").write_text(TWO)
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "folder")
    monkeypatch.chdir(folder)
    edit()
    assert found(run) == ["f.c:3:3"]


def test_ends_of_lines_are_no_change(run, repository: Path) -> None:
    Path("f.c").write_bytes(Path("f.c").read_bytes().replace(b"\n", b"\r\n"))
    assert found(run) == []
    Path("f.c").write_bytes(Path("f.c").read_bytes().replace(b"int i = 0", b"int i = 1", 1))
    assert found(run) == ["f.c:3:3"]


def test_new_and_renamed_files_changed_as_a_whole(run, repository: Path) -> None:
    git(repository, "mv", "f.c", "g.c")
    Path("h.c").write_text(TWO)
    Path("link.c").symlink_to("h.c")
    assert found(run, "g.c", "h.c", "link.c") == [
        "g.c:3:3",
        "g.c:7:3",
        "h.c:3:3",
        "h.c:7:3",
        "link.c:3:3",
        "link.c:7:3",
    ]


def test_what_a_link_leads_to_is_compared(run, repository: Path) -> None:
    Path("link.c").symlink_to("f.c")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "link")
    assert found(run, "link.c") == []
    edit()
    assert found(run, "link.c", "f.c") == ["f.c:3:3", "link.c:3:3"]


def test_packed_objects_and_names(run, repository: Path) -> None:
    git(repository, "tag", "v1")
    git(repository, "pack-refs", "--all")
    git(repository, "gc", "-q")
    edit()
    assert found(run, ref="v1") == ["f.c:3:3"]


def test_other_digests(run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "f.c").write_text(TWO)
    try:
        committed(tmp_path, object_format="sha256")
    except subprocess.CalledProcessError:
        pytest.skip("git without SHA-256")
    monkeypatch.chdir(tmp_path)
    edit()
    assert found(run) == ["f.c:3:3"]


def test_worktrees_and_submodules(run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work, super_project = repository.parent / "work", repository.parent / "super"
    git(repository, "worktree", "add", "-q", str(work))
    super_project.mkdir()
    (super_project / "top.c").write_text(TWO)
    committed(super_project)
    git(super_project, "submodule", "add", "-q", f"file://{repository}", "sub")
    git(super_project, "commit", "-qm", "sub")
    monkeypatch.chdir(work)
    edit()
    assert found(run) == ["f.c:3:3"]
    monkeypatch.chdir(super_project)
    edit(Path("sub/f.c"))
    edit(Path("top.c"))
    assert found(run, "sub/f.c", "top.c") == ["sub/f.c:3:3", "top.c:3:3"]


def test_a_shallow_history_is_reported(run, repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    git(repository, "commit", "-qm", "second", "--allow-empty")
    shallow = repository.parent / "shallow"
    git(repository.parent, "clone", "-q", "--depth=1", "--no-single-branch", f"file://{repository}", str(shallow))
    monkeypatch.chdir(shallow)
    edit()
    done = run("check", "f.c", "--diff-base", "origin/main")
    assert done.stdout.startswith("f.c:3:3")
    assert "no commit in common" in done.stderr


def test_where_the_branch_left_counts(run, repository: Path) -> None:
    git(repository, "checkout", "-q", "-b", "side")
    git(repository, "checkout", "-q", "main")
    edit()
    git(repository, "commit", "-qam", "on main")
    git(repository, "checkout", "-q", "side")
    assert found(run, ref="main") == []


def test_many_files_are_few_questions(repository: Path) -> None:
    for number in range(400):
        folder = repository / f"d{number % 40}"
        folder.mkdir(exist_ok=True)
        (folder / f"x{number}.c").write_text("int x;\n")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "many")
    (repository / "d1" / "x1.c").write_text(SCALE)
    done = watched("check", ".", "--diff-base", "HEAD", "--no-cache", "-j", "1", cwd=repository)
    assert done.stdout.splitlines()[0].startswith("d1/x1.c:3"), done.stderr
    assert done.stderr.count("STARTED") <= 12


def test_devices_are_not_read(run, repository: Path) -> None:
    os.mkfifo("pipe.c")
    assert changes.changes_since("HEAD", ["pipe.c", "missing.c"]) == dict.fromkeys(
        ["pipe.c", "missing.c"], changes.WHOLE
    )
