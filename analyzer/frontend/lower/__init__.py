"""The shared lowering, from the surface tree to regions of the IR: ``lower_unit`` is the whole interface.

One function of the source at a time is lowered by functions in modules, one module for each kind of syntax:
statements (``control``, ``jumps``, ``loops``), expressions (``expressions``), kernels (``kernels``).  They recur into
each other through one table, :class:`.state.Handlers`, which ``regions`` fills and :class:`.state.State` calls: no
module imports another one only to recur, and no class inherits from another.

The state has parts, and a function takes the part that it needs: what is given (``inputs``), where nodes and findings
go (``emitter``), integers and names (``symbols``), arrays (``memory``), the values of variables (``environment``),
enclosing functions, loops and targets of jumps (``flow``).
"""

from .options import LowerOptions
from .regions.unit import Lowered, lower_unit

__all__ = ["LowerOptions", "Lowered", "lower_unit"]
