"""Reports as HTML: one page without script or anything from elsewhere, its charts made here as SVG."""
