"""Machine code as truth: device code compiled by nvcc, disassembled, run thread by thread, its instructions counted.

``source -> toolchain -> listing -> machine -> tallies``.  Nothing here uses the product, or a GPU.
"""
