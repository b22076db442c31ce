"""Parts of workflows for tests of what must hold in one, as short as they can be written."""

from swamp_core.workflow.definition import Workflow
from swamp_core.workflow.validation import ModelInfo, validate

MODELS = {"release": ModelInfo(methods=("build", "deploy"))}
STEP = ("jobs", 0, "steps")


def method(name, **step):
    task = {"type": "model_method", "modelIdOrName": "release", "methodName": "build", **step.pop("task", {})}
    return {"name": name, "task": task, **step}


def wait(name, **task):
    return {"name": name, "task": {"type": "wait_for_signal", "timeout": 60, **task}}


def gate(name, prompt="Ship it?", **step):
    return {"name": name, "task": {"type": "manual_approval", "prompt": prompt}, **step}


def check(name, expr="${{ true }}", message="It is not so.", **step):
    return {"name": name, "task": {"type": "assert", "expr": expr, "message": message}, **step}


def nested(name, runs, inputs=None, **step):
    task = {"type": "workflow", "workflowIdOrName": runs, **({} if inputs is None else {"inputs": inputs})}
    return {"name": name, "task": task, **step}


def each(source, item="region"):
    return {"item": item, "in": source}


def job(name, *steps, **fields):
    return {"name": name, "steps": list(steps), **fields}


def workflow(*jobs, **fields):
    return Workflow.from_json({"name": "w", "jobs": list(jobs), **fields})


def one_job(*steps, **fields):
    return workflow(job("j", *steps), **fields)


def found(definition, models=None, workflows=None):
    """What is wrong with the definition: codes, paths and messages."""
    return [
        (finding.code, finding.path, finding.message) for finding in validate(definition, models, workflows)
    ]


def assert_found_once(mistake, models=None, workflows=None):
    """The mistake is found once, with its code, at the path that is wrong, and the words that help."""
    definition, code, path, says = mistake
    findings = [finding for finding in found(definition, models, workflows) if finding[0] == code]
    assert [finding[:2] for finding in findings] == [(code, path)]
    assert says in findings[0][2]
    assert findings[0][2].rstrip().endswith((".", "?", "`"))
