"""Workers that live for a fixed time, and hand over to a successor."""
