"""Many runs at once: a grid of configurations, on a Dask cluster, into one table."""
