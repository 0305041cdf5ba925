"""The surface tree, which both parsers produce, and the rewrites that it needs before lowering."""
