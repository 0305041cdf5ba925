"""The time to expect of a kernel on a GPU: its instructions, its memory, its launch."""
