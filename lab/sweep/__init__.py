"""The Sweep page: a table of many runs, plotted."""
