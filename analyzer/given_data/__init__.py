"""Arrays and matrices that the user gives: files to elements, elements to trip counts, sizes and findings."""
