"""Routes for people: read and operate everything, one file per noun."""
