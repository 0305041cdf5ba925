"""Importers: one module for each format of a tool, found by :mod:`..importers`.

Every module of this package ends with ``IMPORTERS``, a tuple of what it reads: a
:class:`~roofline.measured.importers.KernelImporter` (measured kernels), a
:class:`~roofline.measured.importers.RoofImporter` (measured roofs of a machine), or both.  What several of them share
is in the package above.
"""
