"""However steps stand in line and come to their ends: no bound is ever exceeded, and everybody gets in at last."""

from collections import Counter
from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st
from swamp_core.engine.ceiling import Ceiling, Room
from swamp_core.engine.line import Line
from swamp_core.engine.plan import Plan, plan_of
from swamp_core.workflow.definition import Workflow

CALL = {"type": "model_method", "modelIdOrName": "m", "methodName": "go"}
NESTED = {"type": "workflow", "workflowIdOrName": "other"}
limits = st.none() | st.integers(1, 4)


@st.composite
def plans(draw):
    """A workflow of a few jobs and steps, with bounds at every level, or without."""

    def step(number):
        each = {"name": f"s{number}", "task": draw(st.sampled_from([CALL, CALL, NESTED]))}
        limit = draw(limits)
        return each | ({} if limit is None else {"concurrency": limit})

    def job(number):
        steps = [step(each) for each in range(draw(st.integers(1, 3)))]
        limit = draw(limits)
        return {"name": f"j{number}", "steps": steps} | ({} if limit is None else {"concurrency": limit})

    workflow = {"name": "w", "jobs": [job(each) for each in range(draw(st.integers(1, 3)))]}
    limit = draw(limits)
    return plan_of(Workflow.from_json(workflow | ({} if limit is None else {"concurrency": limit})))


@dataclass
class Driven:
    """What one driver has running and in line, beside what its bounds say."""

    plan: Plan
    ceiling: Ceiling
    woken: list[int] = field(default_factory=list)
    running: list[tuple[tuple[str, str], tuple[str, str]]] = field(default_factory=list)
    came_in: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.room = Room(self.plan, self.ceiling, lambda: self.woken.append(1))
        self.line = Line()

    def stand(self, declared, number):
        self.line.stand(declared, (declared[0], f"{declared[1]}[{number}]"))

    def let_in(self):
        while let_in := self.line.let_in(self.room):
            self.running.append(let_in)
            self.came_in.append(let_in[1])

    def end(self, index):
        declared, _ = self.running.pop(index % len(self.running))
        self.room.give(declared)

    def calls(self):
        return sum(self.plan.steps[declared].task.type == "model_method" for declared, _ in self.running)

    def keeps_to_its_bounds(self):
        by_step = Counter(declared for declared, _ in self.running)
        by_job = Counter(declared[0] for declared, _ in self.running)
        bounds = [
            (len(self.running), self.plan.workflow.concurrency),
            *((by_job[name], job.concurrency) for name, job in self.plan.jobs.items()),
            *((by_step[ref], step.concurrency) for ref, step in self.plan.steps.items()),
        ]
        return all(limit is None or running <= limit for running, limit in bounds)


@given(plans(), st.integers(1, 4), st.data())
def test_no_bound_is_exceeded_and_nobody_is_left_in_line(plan, steps_max, data):
    """At every moment all bounds hold; whenever something ends there is room for another, until nobody stands."""
    driven = Driven(plan, Ceiling(steps_max))
    refs = data.draw(st.lists(st.sampled_from(list(plan.steps)), max_size=20))
    ahead = list(enumerate(refs))
    while ahead or driven.running or driven.line:
        if ahead and data.draw(st.booleans()):
            number, declared = ahead.pop(0)
            driven.stand(declared, number)
        elif driven.running:
            driven.end(data.draw(st.integers(0, 20)))
        driven.let_in()
        assert driven.keeps_to_its_bounds()
        assert driven.calls() <= steps_max
        assert driven.running or not driven.line, "Somebody stands in line, and nobody is in the way."
    assert sorted(driven.came_in) == sorted((job, f"{step}[{n}]") for n, (job, step) in enumerate(refs))


@given(plans(), st.data())
def test_the_items_of_a_step_come_in_in_their_order(plan, data):
    """Of one step nobody overtakes, whatever ends first."""
    driven = Driven(plan, Ceiling(2))
    ref = data.draw(st.sampled_from(list(plan.steps)))
    for number in range(9):
        driven.stand(ref, number)
    driven.let_in()
    while driven.running:
        driven.end(data.draw(st.integers(0, 8)))
        driven.let_in()
    assert driven.came_in == [(ref[0], f"{ref[1]}[{number}]") for number in range(9)]


@given(plans(), plans(), st.integers(1, 3), st.data())
def test_drivers_that_share_a_ceiling_all_come_to_their_end(one, other, steps_max, data):
    """Two runs of one process keep to its ceiling together, and each that is refused is woken when there is room."""
    ceiling = Ceiling(steps_max)
    both = [Driven(plan, ceiling) for plan in (one, other)]
    for driven in both:
        for number in range(6):
            driven.stand(data.draw(st.sampled_from(list(driven.plan.steps))), number)
        driven.let_in()
    while any(driven.running for driven in both):
        assert sum(driven.calls() for driven in both) <= steps_max
        ending = data.draw(st.sampled_from([each for each in both if each.running]))
        ending.end(data.draw(st.integers(0, 8)))
        ending.let_in()
        for driven in both:
            if driven.woken:  # Nobody looks without a reason.
                driven.woken.clear()
                driven.let_in()
    assert not any(driven.line for driven in both)


def test_a_step_that_stands_in_line_stands_there_once():
    """A step that is looked at twice before there is room is begun once."""
    plan = plan_of(
        Workflow.from_json({"name": "w", "jobs": [{"name": "j", "steps": [{"name": "s", "task": CALL}]}]})
    )
    driven = Driven(plan, Ceiling())
    driven.stand(("j", "s"), 1)
    driven.stand(("j", "s"), 1)
    driven.let_in()
    assert driven.came_in == [("j", "s[1]")]


def test_a_step_is_put_down_once():
    """A step is looked at once for all that ended before the look, in the order of the first, and again after it."""
    line = Line([("j", "a"), ("j", "b")])
    line.look_at([("j", "b"), ("j", "c"), ("j", "a")])
    seen = []
    for ref in line.unseen():
        seen.append(ref[1])
        if seen == ["a", "b"]:
            line.look_at([("j", "c"), ("j", "b")])
    assert seen == ["a", "b", "c", "b"]
