"""CEL inside `${{ }}`: finding, checking and evaluating the expressions in a JSON value."""

from swamp_core.expressions.checking import Problem, expression_problems, references
from swamp_core.expressions.errors import ExpressionError
from swamp_core.expressions.evaluation import evaluate, truthy
from swamp_core.expressions.templates import has_expression

__all__ = [
    "ExpressionError",
    "Problem",
    "evaluate",
    "expression_problems",
    "has_expression",
    "references",
    "truthy",
]
