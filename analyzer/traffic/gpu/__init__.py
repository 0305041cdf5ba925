"""Traffic of a kernel: requests of warps, sectors of the caches, occupancy."""
