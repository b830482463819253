"""The Record and Guide pages: a run on real threads or a GPU, and how to record your own."""
