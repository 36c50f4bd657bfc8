"""Pipelines: stages in order, and how a handler chooses the next one.

How a handler ends its stage:

- `return output`: the next stage in order gets the job; after the last one the job is completed with it.
- `return ctx.advance("editorial", output)`: that stage is next, before or after this one. `ctx.advance` only
  creates a marker (`holdfast.model.stage_routing.Advance`), which the handler must return: if it returns
  something else, its attempt fails as `permanent`, with a message that says so.
- `return ctx.advance(["research", "images"], output)`: one child for each; the job waits for them, and then
  continues after the last of these stages.
- `return ctx.advance(None, output)`: ends the pipeline here, as completed.
- `ctx.reject(reason)` raises `holdfast.Reject`; the stage's `on_reject` decides what happens to the job.
- `raise Retry(...)`, `Snooze`, `RateLimited`, `Permanent`: as in any handler.

What it can read: `await ctx.context` is a dict, stage name → latest output, of the visited stages, as the
stages' output models if they have one; `await ctx.history` lists all visits, errors and rejections in order.
Each is loaded at first use, with one statement.

An output that does not fit the stage's `output` model fails the attempt as `transient`, with the validation
error: a language model may answer correctly the next time.
"""

from holdfast.pipeline.define import Pipeline, Stage

__all__ = ["Pipeline", "Stage"]
