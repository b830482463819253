"""The Timeline page: a scene, its switches, and what came of them."""
