"""The expected time of a kernel on a GPU: its instructions, its memory, its launch."""
