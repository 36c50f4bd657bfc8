"""The pages of pipelines, in parts: the flow between stages as a drawing, and how versions differ."""
