"""What the roofline plots show, as plain numbers, for pictures and for HTML."""
