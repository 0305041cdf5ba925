"""Which files are analyzed: selection, ignore rules, standard input, companions of a source file."""
