"""The bundled learners (learning, 6)."""
