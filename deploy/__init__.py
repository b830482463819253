"""Serving the lab to many: several processes of it behind a balancer."""
