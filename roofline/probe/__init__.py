"""Micro-benchmarks that recreate the roofline of the machine they run on.

Input: this machine and a compiler. Output: a :class:`~roofline.machine.machine.Machine` of measured figures, and its
TOML text.

``topology`` (or ``plateaux``, where the system hides its caches) says what there is, ``cpu_plan`` what to measure,
``compiler`` and ``program`` run the C and CUDA sources in ``kernels``, ``statistics`` makes one figure of many repeats,
``cpu`` and ``gpu`` make a machine of them, ``doubts`` marks what physics forbids, ``machine_text`` writes it.
"""
