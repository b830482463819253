"""The Inspect and Compare pages: traces of any profiler, drawn on a canvas and explained."""
