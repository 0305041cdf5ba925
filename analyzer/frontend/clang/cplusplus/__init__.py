"""What only C++ has: classes, templates, operators, virtual methods, its nodes and its standard library."""
