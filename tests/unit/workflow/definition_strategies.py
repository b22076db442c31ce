"""Workflows of every shape, for tests that draw them."""

from hypothesis import strategies as st
from swamp_core.workflow.conditions import AllOf, AnyOf, End, Not
from swamp_core.workflow.definition import (
    Assert,
    ForEach,
    Job,
    JobDependency,
    ManualApproval,
    ModelMethod,
    NestedWorkflow,
    Step,
    StepDependency,
    WaitForSignal,
    Workflow,
)
from swamp_core.workflow.fields import CONCURRENCY_MAX, name_problem, title_problem

CONDITIONS = st.recursive(
    st.sampled_from(["always", "succeeded", "failed", "completed", "skipped"]).map(
        lambda kind: End(type=kind)
    ),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: AllOf(conditions=tuple(parts)))
        | st.lists(inner, min_size=1, max_size=3).map(lambda parts: AnyOf(conditions=tuple(parts)))
        | inner.map(lambda part: Not(condition=part))
    ),
    max_leaves=8,
)


def built(kind, **fields):
    """A definition of the kind, its fields drawn by their Python names; those that may be, left out at times."""
    optional = {name for name in fields if not kind.model_fields[name].is_required()}
    return st.fixed_dictionaries(
        {name: drawn for name, drawn in fields.items() if name not in optional},
        optional={name: fields[name] for name in fields if name in optional},
    ).map(lambda drawn: kind(**drawn))


def dependencies(kind):
    return built(kind, name=TITLES, condition=CONDITIONS)


NAMES = st.from_regex(r"[a-z0-9][a-z0-9_-]{0,63}", fullmatch=True).filter(
    lambda name: name_problem(name) is None
)
TITLES = st.text(
    st.characters(exclude_categories=["Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs"]) | st.just(" "),
    min_size=1,
    max_size=20,
).filter(lambda title: title_problem(title) is None)
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(TEXTS, JSON_VALUES, max_size=3)
TIMEOUTS = (
    st.integers(1, 31_536_000) | st.floats(1, 31_536_000) | st.sampled_from(["90s", "30m", "24h", "7d"])
)
TASKS = st.one_of(
    built(WaitForSignal, timeout_s=TIMEOUTS, payload_schema=OBJECTS, prompt=TEXTS),
    built(ManualApproval, prompt=TEXTS, timeout_s=TIMEOUTS),
    built(ModelMethod, model_id_or_name=TEXTS, method_name=TEXTS, inputs=OBJECTS),
    built(NestedWorkflow, workflow_id_or_name=TEXTS, inputs=OBJECTS),
    built(Assert, expr=TEXTS, message=TEXTS),
)
VARIABLES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,63}", fullmatch=True).filter(
    lambda name: name not in {"true", "false", "null", "in"}
)
CONCURRENCY = st.integers(1, CONCURRENCY_MAX)
FOR_EACH = built(ForEach, item=VARIABLES, source=TEXTS | st.lists(JSON_VALUES, max_size=3) | OBJECTS)
STEPS = built(
    Step,
    name=TITLES,
    description=TEXTS,
    task=TASKS,
    for_each=FOR_EACH,
    concurrency=CONCURRENCY,
    depends_on=st.lists(dependencies(StepDependency), max_size=2).map(tuple),
    guard=TEXTS,
    allow_failure=st.booleans(),
)
JOBS = built(
    Job,
    name=TITLES,
    description=TEXTS,
    concurrency=CONCURRENCY,
    depends_on=st.lists(dependencies(JobDependency), max_size=2).map(tuple),
    steps=st.lists(STEPS, min_size=1, max_size=3).map(tuple),
)
WORKFLOWS = built(
    Workflow,
    name=NAMES,
    description=TEXTS,
    concurrency=CONCURRENCY,
    inputs=OBJECTS,
    jobs=st.lists(JOBS, min_size=1, max_size=3).map(tuple),
)
