"""The modes: every bug of the catalogue as a scene in which it shows."""
