"""What is particular to GPUs: requests and shared memory, chains of one thread, what programs ask of the device."""
