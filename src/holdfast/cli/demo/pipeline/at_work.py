"""What the demo's workers are given as their app; the address of the model server is in their environment."""

import os

from holdfast.cli.demo.pipeline.app import MODEL_URL, posts_app

app, _ = posts_app(os.environ[MODEL_URL])
