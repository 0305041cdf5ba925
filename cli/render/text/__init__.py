"""Plain text and Markdown: reports, derivations, sheets of machines and comparisons."""
