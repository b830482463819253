"""Readers: files of many profilers, told apart by content, to one model of a trace.

`formats` is the table of what can be read; `reader` opens files, packed or plain, one or several;
`source` gives their bytes; `assembly` makes the trace of what a reader has collected.
"""
