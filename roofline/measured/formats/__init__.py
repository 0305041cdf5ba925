"""One module for each format of measured data, with what several formats share."""
