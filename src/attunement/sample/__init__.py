"""The bundled sample: the project's own writing, an illustration."""
