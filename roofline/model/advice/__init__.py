"""What would help a region, and by how much: kinds of advice, and where each comes from."""
