"""Legal transformations of kernels: tiles in shared memory, several results for each thread, other axes and blocks."""
