"""The source of Python models with a method for each thing that a method may do."""

PATIENCE_S = 30

SOURCE = """
import sys
import threading
from datetime import date, datetime
from enum import Enum

from pydantic import BaseModel

from swamp_core import MethodContext

entered, may_go_on, left = threading.Event(), threading.Event(), threading.Event()
made = []

class Size(Enum):
    SMALL = "small"

class Spec(BaseModel):
    image: str
    replicas: int = 1

class Receipt(BaseModel):
    at: datetime
    spec: Spec

class Releases:
    def __init__(self):
        made.append(self)

    def nothing(self):
        pass

    def echo(self, **inputs):
        return inputs

    def plan(self, context: MethodContext, spec: Spec, day: date, size: Size = Size.SMALL):
        assert isinstance(spec, Spec) and isinstance(day, date) and isinstance(size, Size)
        context.log(f"{context.workflow} {context.run_id} {context.job} {context.step} {context.repo_dir.name}")
        return {"image": spec.image, "replicas": spec.replicas, "year": day.year, "size": size.value}

    def receipt(self) -> Receipt:
        return Receipt(at=datetime(2026, 7, 27), spec=Spec(image="x"))

    def prints(self, context: MethodContext):
        print("one", "two")
        print("careful", file=sys.stderr)
        context.log("three")

    def returns(self, what: str):
        circle = []
        circle.append(circle)
        return {
            "list": [1],
            "date": {"day": date(2026, 7, 27)},
            "tuple": {"pair": (1, 2)},
            "nan": {"number": float("nan")},
            "big": {"number": 2**63},
            "name": {5: "five"},
            "half": {"text": "\\ud83d"},
            "circle": {"circle": circle},
            "large": {"text": "x" * 262_144},
            "log": {"stdout": "mine"},
        }[what]

    def raises(self, what: str):
        errors = {"error": ValueError("no such\\n region\\x1b["), "exit": SystemExit(3)}
        raise errors.get(what) or KeyboardInterrupt

    def deep(self):
        return self.deep()

    @staticmethod
    def static(tag: str):
        return {"tag": tag}

    @classmethod
    def of_class(cls, tag: str = "v0"):
        return {"tag": tag, "of": cls.__name__}

    async def later(self): ...

    def waits(self, context: MethodContext):
        context.log("waiting")
        entered.set()
        context.stopped.wait()
        return {"stopped": context.stopped.is_set()}

    def ignores(self, context: MethodContext):
        context.log("working")
        entered.set()
        may_go_on.wait()
        context.log("late")
        print("later")
        left.set()

class Http(BaseModel):
    base_url: str
    retries: int = 3

    def get(self, path: str):
        return {"url": self.base_url + path, "retries": self.retries}

class NeedsMore:
    def __init__(self, client):
        pass

    def go(self): ...
"""
