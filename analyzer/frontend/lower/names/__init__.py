"""What names stand for while a function is lowered: bindings, symbols, memory and their environment."""
