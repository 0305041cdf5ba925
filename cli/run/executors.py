"""Where jobs run: processes of this machine, Dask, or MPI; all by the interface of ``concurrent.futures.Executor``."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager

from analyzer.child_processes import pool
from analyzer.errors import OptionError
from analyzer.limits.hard_limit import be_isolated_worker

from .isolated_worker import end_with, limit_process
from .process import prepare_process

_GRACE_S = 10
_FEWEST_RANKS = 2


@contextmanager
def processes(count: int, memory_mib: int) -> Iterator[Executor]:
    """Yield a pool of processes of limited memory (MiB); none outlives a Ctrl-C."""
    with pool(count, _start, (memory_mib, os.getpid())) as executor:
        yield executor


def _start(memory_mib: int, parent: int) -> None:
    """Set a worker up: quiet at Ctrl-C, which its parent answers, and of limited life, memory and time."""
    end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    prepare_process()
    be_isolated_worker()
    limit_process(memory_mib)


@contextmanager
def executor_at(name: str) -> Iterator[Executor]:
    """Yield the executor that ``--executor`` names: ``dask://host:port`` or ``mpi``; raises ``OptionError``."""
    scheme, _, address = name.partition("://")
    try:
        if scheme == "dask" and address:
            from distributed import Client

            with Client(f"tcp://{address}", timeout=_GRACE_S) as client:
                yield client.get_executor(pure=False)
            return
        if name == "mpi":
            from mpi4py import MPI
            from mpi4py.futures import MPIPoolExecutor

            if MPI.COMM_WORLD.Get_size() < _FEWEST_RANKS:  # starting others from here fails on many systems, or waits
                hint = "mpiexec -n 4 python -m mpi4py.futures -m cli FILE... --executor mpi"
                raise OptionError("--executor mpi finds no other rank", hint=f"start it as: {hint}")
            with MPIPoolExecutor() as executor:
                yield executor
            return
    except ImportError as error:
        hint = f"pip install 'ai-estimate[{scheme}]'"
        raise OptionError(f"--executor {name} needs the package {error.name}", hint=hint) from None
    except OSError as error:
        hint = "start dask scheduler and dask worker there"
        raise OptionError(f"--executor {name}: no scheduler answers: {error}", hint=hint) from error
    raise OptionError(f"--executor {name} is not known", hint="write dask://HOST:PORT or mpi")
