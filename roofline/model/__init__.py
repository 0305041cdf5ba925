"""The roofline model: intensity, ceilings, bytes of each level, ECM, projection and advice."""
