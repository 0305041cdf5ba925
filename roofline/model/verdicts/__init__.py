"""What bounds a region, by the levels and ceilings that it meets: the verdict, its reasons and its regimes."""
