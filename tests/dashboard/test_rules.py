"""Rules: what their page shows, what it says of a job that is tried, and what a person changes there."""

from urllib.parse import urlencode

from httpx2 import AsyncClient
from playwright.async_api import Page, expect

from holdfast.client.app import Holdfast
from holdfast.db import queues
from tests.api.conftest import MakeKey
from tests.builders import a_queue

LARGE = '$.payload.size == "large"'


async def rules_of(app: Holdfast) -> None:
    await app.rules.set_rule("task", "capture", "large", condition=LARGE, points=-20, queue="bulk")
    await app.rules.set_rule("task", "capture", "gold", condition='$.labels.customer == "gold"', points=30)
    await app.rules.set_rule("task", "capture", "night", condition="$.hour >= 0", points=5, enabled=False)
    await app.rules.set_rule_set("task", "capture", base=40)


def trying(**asked: str) -> str:
    return f"/rules?{urlencode(asked)}"


async def test_a_set_shows_its_base_and_its_rules_in_order(http: AsyncClient, app: Holdfast) -> None:
    await rules_of(app)
    page = (await http.get("/rules")).text
    assert "<title>2 rules enabled · Rules · Holdfast</title>" in page
    assert "Task capture" in page
    assert "base 40" in page
    assert "scored by the rules of its task; if the task has none, by those of its queue." in page
    assert 'placeholder="automatic"' in page, "the origin of a job without one"
    assert page.index(">large</span>") < page.index(">gold</span>") < page.index(">night</span>")
    assert "-20 points</span>, queue" in page
    assert "$.payload.size == &#34;large&#34;" in page
    other = (await http.get("/rules?kind=queue&owner=mail")).text
    assert "There is no rule here." in other


async def test_a_long_condition_is_folded(http: AsyncClient, app: Holdfast) -> None:
    long = " || ".join(f'$.payload.size == "size {number}"' for number in range(10))
    await app.rules.set_rule("task", "capture", "long", condition=long, points=1)
    await app.rules.set_rule("task", "capture", "large", condition=LARGE, points=1)
    assert (await http.get("/rules")).text.count('<details class="condition">') == 1


async def test_a_job_that_is_tried_says_which_rules_match_and_why(http: AsyncClient, app: Holdfast) -> None:
    await rules_of(app)
    asked = {"task": "capture", "payload": '{\n  "size": "large"\n}', "labels": "customer=gold"}
    page = (await http.get(trying(**asked))).text
    assert '>bulk</a> with priority <b class="strong">50</b>' in page
    assert "+10 points, and large chose the queue" in page
    assert '<code class="break">$.payload.size</code> is <code class="break">&#34;large&#34;</code>' in page
    assert "{\n  &quot;size&quot;: &quot;large&quot;\n}</textarea>" in page, (
        "it can be changed and tried again"
    )
    assert "1 rule did not match" in page, "the disabled one"
    assert page.index("</svg>yes<") < page.index("1 rule did not match")
    assert ">chose the queue<" in page
    assert (page.count("</svg>yes<"), page.count("</svg>disabled<")) == (2, 2)
    page = (await http.get(trying(queue="mail"))).text
    assert "No rules judged it" in page


async def test_a_tried_job_of_a_paused_queue_would_not_start(http: AsyncClient, app: Holdfast) -> None:
    await rules_of(app)
    asked = trying(task="capture", payload='{"size": "large"}')
    words = "The queue is paused: this job would not start."
    assert words not in (await http.get(asked)).text
    await queues.pause_all(app.database, "a copy of production", "ada")
    assert words in (await http.get(asked)).text, "a queue without a job too"
    await queues.resume_all(app.database, None, "ada")
    async with app.database.transaction() as conn:
        await a_queue(conn, "bulk")
    assert words not in (await http.get(asked)).text
    await queues.pause_queue(app.database, "bulk", "hot", "ada")
    assert words in (await http.get(asked)).text


async def test_what_is_wrong_with_a_job_that_is_tried_is_said(http: AsyncClient, app: Holdfast) -> None:
    for asked, words in (
        ({"payload": "{to: 1}"}, "Payload must be JSON: "),
        ({"priority": "high"}, "Priority must be an integer from 0 to 100"),
        ({"priority": "101"}, "Priority must be an integer from 0 to 100"),
        ({"labels": "gold"}, "Labels must be lines of NAME=VALUE"),
    ):
        answered = await http.get(trying(task="capture", **asked))
        assert answered.status_code == 200
        assert words in answered.text, asked
        assert 'aria-invalid="true"' in answered.text


async def test_a_viewer_may_try_but_sees_no_action(
    keyed_http: AsyncClient, make_key: MakeKey, app: Holdfast
) -> None:
    await rules_of(app)
    page = (await keyed_http.get(trying(task="capture"), headers=await make_key("viewer"))).text
    assert "It would stand in the queue" in page
    assert "data-api" not in page
    assert 'data-open="add"' in (await keyed_http.get("/rules", headers=await make_key("operator"))).text
    scoped = await make_key("operator", queues=["bulk"])
    assert (await keyed_http.get("/rules", headers=scoped)).status_code == 403


async def test_a_person_adds_a_rule_tries_it_and_disables_it(tab: Page, app: Holdfast) -> None:
    await tab.goto("/rules")
    await tab.get_by_role("button", name="Add a rule…").click()
    dialog = tab.get_by_role("dialog")
    await dialog.get_by_label("Named").fill("capture")
    await dialog.get_by_label("Name of the rule").fill("large")
    await dialog.get_by_label("Condition").fill(LARGE)
    await dialog.get_by_label("Points").fill("-20")
    await dialog.get_by_label("Queue", exact=False).last.fill("bulk")
    await dialog.get_by_role("button", name="Add the rule").click()
    await expect(tab.get_by_role("heading", name="Task capture")).to_be_visible()
    form = tab.locator("#try")
    await form.get_by_role("heading", name="Try a job").click()
    await form.locator("[name=task]").fill("capture")
    await form.locator("[name=payload]").fill('{"size": "large"}')
    await tab.get_by_role("button", name="Try it").click()
    await expect(form.get_by_role("status")).to_contain_text("queue bulk with priority 30")
    await tab.get_by_role("button", name="Actions for large").click()
    await tab.get_by_role("button", name="Disable…").click()
    await tab.get_by_role("button", name="Disable the rule").click()
    await expect(tab.get_by_role("row").filter(has_text="disabled").last).to_be_visible()
    (rule,) = await app.rules.list_rules()
    assert (rule.kind, rule.owner, rule.points, rule.queue, rule.enabled) == (
        "task",
        "capture",
        -20,
        "bulk",
        False,
    )
