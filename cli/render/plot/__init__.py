"""The roofline as a picture."""
