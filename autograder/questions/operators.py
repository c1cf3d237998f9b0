"""What a question changes in a line: what a mutation changes, as far as it shows in the result, and a few slips that a solution's tests need not look for."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from autograder.mutants import operators
from autograder.mutants.operators import Operator
from autograder.mutants.scope import Scope

_COUNTED = {"eye", "arange", "range", "zeros", "ones", "full", "topk", "view", "reshape", "one_hot", "chunk", "split"}
"""The functions whose arguments count something."""
_TAKES_ALL = {"max", "min", "sum", "sorted", "Counter"}
"""The functions that look at every item of a list."""


def counted_otherwise(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A size or an index that is one more, or one less."""
    for moved in (_moved(ast.Add()), _moved(ast.Sub())):
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and isinstance(node.ctx, ast.Load):
            yield ast.Subscript(node.value, moved(node.slice), node.ctx)
        if isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in _COUNTED:
            yield from _with_each_name(node, moved)


def _moved(op: ast.operator) -> Callable[[ast.expr], ast.expr]:
    return lambda name: ast.BinOp(name, op, ast.Constant(1))


def turned_round(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A mask that is inverted, and an argument with the other sign."""
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and isinstance(node.ctx, ast.Load):
        yield ast.Subscript(node.value, ast.UnaryOp(ast.Invert(), node.slice), node.ctx)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") not in ("len", "range", "int", "sorted", "list"):
        yield from _with_each_name(
            node, lambda name: ast.UnaryOp(ast.Invert() if "mask" in ast.unparse(name) else ast.USub(), name)
        )


def _with_each_name(call: ast.Call, change: Callable[[ast.expr], ast.expr]) -> Iterator[ast.AST]:
    """The call with each name among its arguments changed, one at a time."""
    for place, argument in enumerate(call.args):
        if isinstance(argument, ast.Name | ast.Subscript):
            yield ast.Call(call.func, [*call.args[:place], change(argument), *call.args[place + 1 :]], call.keywords)


def mean_or_sum(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Another reduction of a loss."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("cross_entropy"):
        others = [keyword for keyword in node.keywords if keyword.arg != "reduction"]
        for reduction in ("sum", "mean", "none"):
            yield ast.Call(node.func, node.args, [*others, ast.keyword("reduction", ast.Constant(reduction))])


def items_lost(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A list without its first or its last item, or in reverse order."""
    if not isinstance(node, ast.Call) or getattr(node.func, "id", "") not in _TAKES_ALL:
        return
    parts = (ast.Slice(ast.Constant(1)), ast.Slice(None, ast.Constant(-1)), ast.Slice(None, None, ast.Constant(-1)))
    for place, argument in enumerate(node.args):
        if isinstance(argument, ast.Name):
            for part in parts:
                less = ast.Subscript(argument, part, ast.Load())
                yield ast.Call(node.func, [*node.args[:place], less, *node.args[place + 1 :]], node.keywords)


OPERATORS: tuple[Operator, ...] = (
    operators.other_constant,
    operators.other_comparison,
    operators.other_arithmetic,
    operators.other_logic,
    operators.sign_dropped,
    operators.side_dropped,
    operators.other_axis,
    operators.keyword_dropped,
    operators.axis_kept,
    operators.related_function,
    operators.call_dropped,
    operators.mask_dropped,
    operators.index_shifted,
    operators.arguments_swapped,
    operators.condition_fixed,
    operators.statement_dropped,
    operators.root_truncated,
    counted_otherwise,
    turned_round,
    mean_or_sum,
    items_lost,
)
