"""However a run ends: nothing half written, nothing left running, no traceback."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.hostile import text_of

ROOT = Path(__file__).parents[2]
COMMAND = (sys.executable, "-m", "cli")
LOOP = "void f(int n, double *a)\n{\n  for (int i = 0; i < n; i++) a[i] += 1;\n}\n"
WITHOUT_RIGHTS = (
    "setpriv",
    "--bounding-set=-dac_override,-dac_read_search",
    "--inh-caps=-dac_override,-dac_read_search",
)
ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "AI_ESTIMATE_TRACEBACK": ""}

pytestmark = pytest.mark.skipif(os.name != "posix", reason="signals, links and rights of POSIX")


def done(*arguments: str, prefix: tuple[str, ...] = (), **more: object) -> subprocess.CompletedProcess[str]:
    found = subprocess.run(
        [*prefix, *COMMAND, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
        **{"env": ENVIRONMENT, **more},
    )
    assert "Traceback" not in found.stderr
    assert "defect" not in found.stderr
    return found


@pytest.fixture
def loop(tmp_path: Path) -> str:
    (tmp_path / "a.c").write_text(LOOP)
    return str(tmp_path / "a.c")


def rights() -> tuple[str, ...]:
    """What takes the rights of root away; a plain user has none."""
    if os.geteuid():
        return ()
    if shutil.which("setpriv") is None:
        pytest.skip("root may read everything")
    return WITHOUT_RIGHTS


def test_what_a_worker_says_is_not_lost_when_it_ends() -> None:
    """The traceback of a defect, where it is asked for, is written by a process that ends at once."""
    text = (
        "import os, sys, cli.run.isolated_worker as w; w.silence_libraries(); print('x', file=sys.stderr); os._exit(0)"
    )
    found = subprocess.run([sys.executable, "-c", text], env=ENVIRONMENT, capture_output=True, text=True, check=True)
    assert found.stderr == "x\n"


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_is_ended_leaves_nothing(tmp_path: Path, how: signal.Signals, workers: str) -> None:
    suffix, text = text_of("mutual", large=True)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}{suffix}").write_bytes(text)
    command = [*COMMAND, str(tmp_path), "-j", workers, "--no-cache", "-o", str(tmp_path / "out.txt")]
    with subprocess.Popen(
        command, env=ENVIRONMENT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as started:  # fmt: skip
        wait_for_children(started.pid)
        os.kill(started.pid, how)
        _, errors = started.communicate(timeout=60)
    assert started.returncode == 128 + how
    assert (b"ended by SIGTERM before the report was written" in errors) == (how == signal.SIGTERM)
    assert not is_alive(started.pid)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.c", "b.c", "c.c"]


def is_alive(group: int) -> bool:
    """Whether a group of processes still lives, after some time to go."""
    for _ in range(1000):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.01)
    return True


def wait_for_children(process: int) -> None:
    """Until a process works with others."""
    place = Path(f"/proc/{process}/task/{process}/children")
    for _ in range(3000):
        if place.read_text().split():
            break
        time.sleep(0.01)
    time.sleep(0.2)


@pytest.mark.parametrize("form", ["table", "json", "html"])
def test_a_closed_pipe_is_quiet_in_every_form(loop: str, form: str) -> None:
    receiver, sender = os.pipe()
    os.close(receiver)
    found = subprocess.run(
        [*COMMAND, loop, "--machine", "v100", "--format", form], stdout=sender, stderr=subprocess.PIPE, env=ENVIRONMENT,
        check=False,
    )  # fmt: skip
    os.close(sender)
    assert (found.returncode, found.stderr) == (141, b"")


def test_a_file_that_would_grow_too_large_stays_as_it_was(loop: str, tmp_path: Path) -> None:
    import resource

    (tmp_path / "out.json").write_text("old")
    found = done(
        loop, "--format", "json", "-o", str(tmp_path / "out.json"),
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024)),
    )  # fmt: skip
    assert (found.returncode, (tmp_path / "out.json").read_text()) == (2, "old")
    assert "out.json: cannot be written: File too large" in found.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.c", "out.json"]


def test_what_may_not_be_read_or_written_is_told(loop: str, tmp_path: Path) -> None:
    closed, source, sealed = tmp_path / "closed", tmp_path / "s.c", tmp_path / "sealed"
    source.write_text(LOOP)
    source.chmod(0)
    closed.mkdir(mode=0)
    sealed.mkdir(mode=0o555)
    try:
        found = done(str(tmp_path), "--format", "csv", prefix=rights())
        unwritten = done(loop, "-o", str(sealed / "x"), prefix=rights())
        cache = done(loop, prefix=rights(), env={**ENVIRONMENT, "AI_ESTIMATE_CACHE_DIR": str(sealed)})
    finally:
        closed.chmod(0o755)
    assert found.returncode == 2
    assert "closed: cannot be read: Permission denied" in found.stderr
    assert "s.c: cannot be read: Permission denied" in found.stderr
    assert "a.c" in found.stdout
    assert (unwritten.returncode, unwritten.stdout) == (2, "")
    assert "x: cannot be written: Permission denied" in unwritten.stderr
    assert (cache.returncode, cache.stderr) == (0, "")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_a_cache_that_takes_nothing_costs_only_the_keeping(loop: str) -> None:
    found = done(loop, env={**ENVIRONMENT, "AI_ESTIMATE_CACHE_DIR": "/dev/full"})
    assert found.returncode == 0
    assert found.stderr.startswith("ai-estimate: results of earlier runs are neither used nor stored, since /dev/full")
    assert found.stderr.count("\n") == 1


def test_no_files(tmp_path: Path) -> None:
    (tmp_path / "one.c").symlink_to("two.c")
    (tmp_path / "two.c").symlink_to("one.c")
    (tmp_path / "empty.c").touch()
    found = done(*(str(tmp_path / name) for name in ("one.c", "empty.c", "no.c", "empty.c/x.c")))
    assert (found.returncode, found.stdout) == (2, "")
    for words in ("Too many levels of symbolic links", "is empty", "no such file", "Not a directory"):
        assert words in found.stderr


def test_a_writer_that_is_killed_leaves_the_old_file(tmp_path: Path) -> None:
    place = tmp_path / "out.txt"
    place.write_text("old")
    script = (
        "import os, sys; from cli.output import write_file\n"
        "write_file(sys.argv[1], (os.kill(os.getpid(), 9) if part else b'new' for part in (0, 1)))"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(place)], env=ENVIRONMENT, check=False)
    assert (killed.returncode, place.read_text()) == (-signal.SIGKILL, "old")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs an endless device")
def test_an_endless_file_is_too_large() -> None:
    found = done("/dev/zero")
    assert found.returncode == 2
    assert "/dev/zero: is larger than" in found.stderr


def test_a_pipe_that_nobody_writes_to_does_not_block(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.c")
    script = (
        "import sys; from analyzer import source; source._GRACE_S = 0.1\n"
        "from cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    found = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "a.c"), "--no-cache"],
        env=ENVIRONMENT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (found.returncode, found.stdout) == (2, "")
    assert "a.c: is a pipe that nothing came through" in found.stderr


def test_a_pipe_that_is_written_to_is_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.c")
    with subprocess.Popen(["sh", "-c", f"cat > {tmp_path / 'a.c'}"], stdin=subprocess.PIPE) as writer:
        assert writer.stdin is not None
        writer.stdin.write(LOOP.encode())
        writer.stdin.close()
        found = done(str(tmp_path / "a.c"), "--format", "csv", "--no-cache")
    assert found.returncode == 0
    assert "f:3" in found.stdout


def test_a_socket_is_told(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "a.c"))
        found = done(str(tmp_path / "a.c"))
    assert (found.returncode, found.stdout) == (2, "")
    assert "a.c: cannot be read" in found.stderr


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_run_that_is_killed_leaves_no_child(tmp_path: Path, workers: str) -> None:
    suffix, text = text_of("mutual", large=True)
    for name in ("a", "b", "c"):
        (tmp_path / f"{name}{suffix}").write_bytes(text)
    command = [*COMMAND, str(tmp_path), "-j", workers, "--no-cache", "--budget", "100s", "-o", os.devnull]
    with subprocess.Popen(command, env=ENVIRONMENT, stderr=subprocess.DEVNULL, start_new_session=True) as started:
        wait_for_children(started.pid)
        os.kill(started.pid, signal.SIGKILL)
        started.wait()
    assert not is_alive(started.pid)
