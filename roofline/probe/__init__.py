"""Micro-benchmarks that recreate the roofline of the machine they run on.

Input: this machine and a compiler. Output: a :class:`~roofline.machine.machine.Machine` of measured figures, and its
TOML text.

``topology`` (or ``plateaux``, where the system hides its caches) finds cores and caches, ``cpu_plan`` plans
measurements, ``compiler`` and ``program`` run the C and CUDA sources in ``kernels``, ``statistics`` makes one figure
of many repeats, ``cpu`` and ``gpu`` make a machine of them, ``doubts`` marks figures that physics forbids,
``machine_text`` writes it.
"""
