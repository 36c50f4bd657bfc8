"""Pipelines: stages in order, and how a handler says where its job goes next.

How a handler ends its stage:

- `return output`: the next stage in order gets the job; after the last one the job is completed with it.
- `return ctx.advance("editorial", output)`: that stage is next, before or behind this one. `ctx.advance` only
  makes a marker (`holdfast.model.route.Advance`), and the handler must return it: one that makes it and
  returns something else fails its attempt as `permanent`, with a message that says so.
- `return ctx.advance(["research", "images"], output)`: one child for each; the job waits for them, and then
  goes on after the last of them.
- `return ctx.advance(None, output)`: ends the pipeline here, as completed.
- `ctx.reject(reason)` raises `holdfast.Reject`; the stage's `on_reject` says what becomes of the job.
- `raise Retry(...)`, `Snooze`, `RateLimited`, `Permanent`: as in any handler.

What it may know: `await ctx.context` is a dict, stage name → latest output, of the stages visited before, as
the stages' output models where they name one; `await ctx.history` all visits, errors and rejections in order.
Both are loaded at first use (one statement), and cost nothing if they are not used.

An output that does not fit the stage's `output` model fails the attempt as `transient`, with the model's
words: what a language model got wrong once it may get right next time.
"""

from holdfast.pipeline.define import Pipeline, Stage

__all__ = ["Pipeline", "Stage"]
