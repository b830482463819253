"""A finished run, looked at instant by instant: memory, requests, streams, the host's place."""
