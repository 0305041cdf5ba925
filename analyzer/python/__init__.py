"""What the library of Python lacks: properties without a lock, late regular expressions, fields out of equality."""
