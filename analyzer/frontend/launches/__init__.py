"""The launches of a translation unit: from its host code, or as the user gives them."""
