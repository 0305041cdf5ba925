"""Source text without a parser: tokens, top-level items, the language, includes, pragmas, Markdown."""
