"""Source files to parsed translation units: options, headers, and what is saved of a file that does not parse."""
