"""The loads and stores of an innermost loop in its vectors: whole vectors, single elements, gathers, split ones."""

from __future__ import annotations

from analyzer.counts.results import Step

from .compiled import CompiledLoop
from .costs import EACH_GATHERED, MASKED_STORE, USUAL_WINDOW, crossing
from .vectors import gathers, gathers_chosen, handed_on, has_masks, is_apart, masked_stores


class Accesses:
    """The loads and stores of one iteration."""

    def __init__(self, loop: CompiledLoop) -> None:
        self._loop = loop

    def masked_store_cycles(self) -> float:
        """Return the cycles that stores of some elements of a vector take longer than whole ones."""
        cycles = MASKED_STORE.get(self._loop.machine.vendor)
        if cycles is None or self._loop.lanes == 1 or has_masks(self._loop.core):
            return 0.0
        sizes = (step.size_bytes for step in masked_stores(self._loop.iteration))
        return sum((cycles - 1) * self._loop.vectors.each(size) for size in sizes)

    def _steps(self, *, is_store: bool) -> list[Step]:
        return [step for step in self._loop.iteration.steps if step.is_store is is_store]

    def number(self, *, is_store: bool) -> float:
        """Return the loads or stores of one iteration."""
        steps = self._steps(is_store=is_store)
        if self._loop.lanes == 1:
            kept = 0 if is_store else handed_on(self._loop.iteration, self._loop.compiler).loads
            return sum(float(step.runs) for step in steps) - kept
        streams = {step.stream: step for step in steps if not self.is_single(step)}
        whole = (float(s.runs) * self._loop.vectors.each(abs(s.stride_bytes or 0)) for s in streams.values())
        return sum(whole) + sum(float(step.runs) for step in steps if self.is_single(step))

    def is_single(self, step: Step) -> bool:
        """Return whether an access takes a load or store for each element."""
        return is_apart(step, self._loop.iteration.steps, self._loop.compiler)

    def put_together(self, *, is_store: bool) -> float:
        """Return the elements of one iteration that are gathered, or scattered."""
        steps = self.gathers
        return sum(float(step.runs) for step in steps if step.is_store is is_store)

    @property
    def _chosen_gathers(self) -> list[Step]:
        """Return the gathers of elements that data choose."""
        if self._loop.lanes == 1:
            return []
        bits = self._loop.vectors.bits
        loads = self._steps(is_store=False)
        return [step for step in loads if gathers_chosen(step, self._loop.core, self._loop.machine.vendor, bits)]

    @property
    def _gathers(self) -> list[Step]:
        """Return the gathers and scatters of elements at a stride."""
        loop = self._loop
        if loop.lanes == 1 or not gathers(loop.iteration, loop.compiler, loop.core, loop.vectors.bits):
            return []
        steps = (step for step in loop.iteration.steps if self.is_single(step) and not step.is_indirect)
        return [step for step in steps if step.stride_bytes != 0]

    @property
    def awaited_lines(self) -> float | None:
        """Return the lines that arrive together where gathers leave no room for the next iteration; None elsewhere.

        A gather is as many instructions as it has elements, and more, and no prefetcher follows it.
        """
        loads = [step for step in self._gathers if not step.is_store]
        instructions = sum(float(step.runs) for step in loads) * self._loop.lanes * EACH_GATHERED
        if instructions < (self._loop.core.out_of_order_window or USUAL_WINDOW):
            return None
        strides = {step.stream: abs(step.stride_bytes or self._loop.machine.line_bytes) for step in loads}
        return sum(strides.values()) * self._loop.lanes / self._loop.machine.line_bytes

    def split(self, *, is_store: bool) -> float:
        """Return the accesses of one iteration that cross a line, each of which takes another one."""
        size = self._loop.vectors.register_bytes
        if self._loop.lanes == 1:
            return 0.0
        steps = [step for step in self._steps(is_store=is_store) if step.stride_bytes == step.size_bytes]
        return sum(
            crossing(step, size, self._loop.machine.line_bytes) * float(step.runs) * step.size_bytes / size
            for step in steps
        )

    @property
    def gathers(self) -> tuple[Step, ...]:
        """Return the accesses that gather, or scatter."""
        return (*self._gathers, *self._chosen_gathers)
