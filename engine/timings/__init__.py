"""One configuration under many timings, and the smallest change that makes a race visible."""
