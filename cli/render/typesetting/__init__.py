"""Text in lines and columns: grids, sheets, wrapped sentences, and names that are cut to fit."""
