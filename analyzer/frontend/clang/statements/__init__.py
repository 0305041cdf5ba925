"""Statements: compound ones, loops, branches and jumps of clang, to the surface tree."""
