"""The timeline as a picture: lanes, bars, arrows, level of detail, colours, ways to save it."""
