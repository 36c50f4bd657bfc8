"""The application: a page that posts messages and shows their replies. A message is a job."""

import asyncio
import json
from pathlib import Path

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Route

from holdfast import Holdfast

QUEUE = "chat"
ENQUEUE = "select holdfast.enqueue('reply', $1::json, queue => 'chat', unique_key => $2) as job_id"
PAGE = Path(__file__).with_name("chat.html")

app = Holdfast(name="chat")
app.queue(QUEUE, retry="chat")  # after a failure at once again, dead after three


async def show_page(request: Request) -> Response:
    return FileResponse(PAGE)


async def post_message(request: Request) -> Response:
    """The page's own id is the unique key: a message that is posted twice is one job."""
    text = (await request.body()).decode()
    (row,) = await app.database.fetch(ENQUEUE, text, json.loads(text)["id"])
    return JSONResponse({"job": str(row["job_id"])})


async def read_replies(request: Request) -> Response:
    """Of the jobs that the page names, those that have one."""
    jobs = await asyncio.gather(*(app.job(job).job() for job in request.query_params.getlist("job")))
    return JSONResponse([{"job": str(job.id), "reply": job.output} for job in jobs if job.is_ended])


page = Starlette(
    routes=[
        Route("/", show_page),
        Route("/messages", post_message, methods=["POST"]),
        Route("/replies", read_replies),
    ]
)
