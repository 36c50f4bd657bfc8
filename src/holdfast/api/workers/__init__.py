"""Routes for workers in any language."""
