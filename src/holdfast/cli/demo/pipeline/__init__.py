"""The demo of a pipeline: posts that agents send through four stages, by workers of which some are killed."""
