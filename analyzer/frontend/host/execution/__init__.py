"""Statements, expressions, calls and loops of host code, executed on what is known of memory."""
