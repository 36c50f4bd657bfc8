"""How many functions of the package one plain job passes, and that the page lists them."""

from tests.docs.life_of_a_job import BEGIN, END, PAGE, JobPath, listing, page, path_of_a_job, row

# The aim is about 30 for each job. Of the 37 now, 22 are on the way of `enqueue`.
EACH_JOB = 37
ALONE = 68


async def test_a_plain_job_passes_few_functions_and_the_page_lists_them(database_url: str) -> None:
    path = await path_of_a_job(database_url)
    assert len(path.each_job) <= EACH_JOB, listing(path)
    assert len(path.functions) <= ALONE, listing(path)
    assert path.each_job <= {*path.functions}
    listed = {line for line in _listed().splitlines(True) if line.count("`") == 4}
    needed = {row(path, function) for function in path.each_job}
    known = {row(path, function) for function in path.seen}
    # On a busy machine a statement may take another turn of the loop than on a quiet one.
    assert needed <= listed <= known, "run python -m tests.docs.life_of_a_job"


def _listed() -> str:
    return PAGE.read_text().partition(BEGIN)[2].partition(END)[0]


def test_the_list_can_be_written_again() -> None:
    other = JobPath([("a.py", "f"), ("b.py", "g")], {("a.py", "f")}, set())
    assert "| each job | `f` | `a.py` |\n| a statement | `g` | `b.py` |\n" in page(other)
    assert page(other).count(BEGIN) == 1
