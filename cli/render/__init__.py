"""Renderers: pure functions from a report to text or bytes; none of them sees another."""
