"""The intermediate representation: loop nests with index expressions, values and spans."""
