"""The launches that runtimes choose for loops with directives: iterations to blocks and threads.

* OpenMP as LLVM's libomptarget launches it (``offload/plugins-nextgen/common/src/PluginInterface.cpp``,
  ``GenericKernelTy::getNumBlocks``, and ``llvm/Frontend/OpenMP/OMPGridValues.h``): 128 threads on GPUs with warps of 32
  and 256 on others, at most 3200 blocks or four for each compute unit, which take the iterations in turn.  Where these
  would not fill so many blocks, a block has fewer threads, a power of two, at least 32.
* OpenACC as nvc: 128 threads (``vector_length``), as many blocks as there are iterations for.
* Thrust as CUB: 256 threads, each with two iterations (``cub/device/dispatch/dispatch_for.cuh``).

>>> launch = shared_by_all(OffloadModel.OPENMP, Gpu(), 1 << 24)
>>> launch.blocks, launch.threads, shared_by_all(OffloadModel.OPENMP, Gpu(), 128)
(3200, 128, Shape(blocks=4, threads=32))
>>> shared_by_all(OffloadModel.OPENACC, Gpu(), 1000), shared_by_blocks(OffloadModel.OPENMP, Gpu(), 5000)
(Shape(blocks=8, threads=128), Shape(blocks=3200, threads=128))
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ..ir.nodes import LIBRARIES, OffloadModel

_WARP_SIZE = 32
_THREADS = {OffloadModel.OPENMP: 128, OffloadModel.OPENACC: 128, **dict.fromkeys(LIBRARIES, 256)}
_ITERATIONS = {OffloadModel.OPENMP: 1, OffloadModel.OPENACC: 1, **dict.fromkeys(LIBRARIES, 2)}  # of a thread, at least
_THREADS_OF_WAVEFRONTS = 256
_MOST_BLOCKS, _BLOCKS_OF_UNIT = 3200, 4
_FEWEST_THREADS = 32
_LIMIT_OF_BLOCKS = {
    OffloadModel.OPENMP: 1 << 16,
    OffloadModel.OPENACC: (1 << 31) - 1,
    **dict.fromkeys(LIBRARIES, (1 << 31) - 1),
}


class Gpu(Struct, frozen=True):
    """What a launch depends on: the threads of a warp, and the number of multiprocessors where it is known."""

    warp_threads: int = _WARP_SIZE
    units: int | None = None

    @classmethod
    def of(cls, properties: Mapping[str, int]) -> Gpu:
        """Return the GPU with these properties, by their names in the CUDA runtime."""
        return cls(properties.get("warpSize", _WARP_SIZE), properties.get("multiProcessorCount"))


class Shape(Struct, frozen=True):
    """The blocks of a launch, and the threads of each."""

    blocks: int
    threads: int


def shared_by_all(
    model: OffloadModel, gpu: Gpu, iterations: int, teams: int | None = None, size: int | None = None
) -> Shape:
    """Return the launch for iterations that the threads of all blocks share; ``teams`` and ``size`` are stated."""
    threads = size or _size(model, gpu)
    if teams is not None:
        return Shape(min(teams, _LIMIT_OF_BLOCKS[model]), threads)
    if model is OffloadModel.OPENMP and size is None:
        fair = -(-iterations // _blocks(gpu))
        threads = min(threads, max(1 << (fair - 1).bit_length(), _FEWEST_THREADS))
    blocks = max(-(-iterations // (threads * _ITERATIONS[model])), 1)
    return Shape(min(blocks, _most(model, gpu)), threads)


def shared_by_blocks(
    model: OffloadModel, gpu: Gpu, iterations: int, teams: int | None = None, size: int | None = None
) -> Shape:
    """Return the launch for iterations of which a block takes whole ones, for its threads to share what is inside."""
    most = _most(model, gpu) if teams is None else min(teams, _LIMIT_OF_BLOCKS[model])
    return Shape(max(min(iterations, most), 1) if teams is None else most, size or _size(model, gpu))


def shared_by_threads(model: OffloadModel, gpu: Gpu, size: int | None = None) -> Shape:
    """Return the launch of one block, whose threads share the iterations."""
    return Shape(1, size or _size(model, gpu))


def _size(model: OffloadModel, gpu: Gpu) -> int:
    is_wide = model is OffloadModel.OPENMP and gpu.warp_threads > _WARP_SIZE
    return _THREADS_OF_WAVEFRONTS if is_wide else _THREADS[model]


def _blocks(gpu: Gpu) -> int:
    if gpu.warp_threads > _WARP_SIZE and gpu.units is not None:
        return _BLOCKS_OF_UNIT * gpu.units
    return _MOST_BLOCKS


def _most(model: OffloadModel, gpu: Gpu) -> int:
    return _blocks(gpu) if model is OffloadModel.OPENMP else _LIMIT_OF_BLOCKS[model]
