"""What a question changes in a line: what a mutation changes, as far as it shows in the result, and a few slips that a solution's tests need not look for."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from autograder.mutants import operators
from autograder.mutants.operators import Operator
from autograder.mutants.scope import Scope


def counted_otherwise(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """An argument or an index that is one more, or one less."""
    for op in (ast.Add(), ast.Sub()):
        for new in _with_each_name(node, lambda name, op=op: ast.BinOp(name, op, ast.Constant(1))):
            yield new


def turned_round(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A mask that is inverted, and an argument with the other sign."""
    for op in (ast.Invert(), ast.USub()):
        for new in _with_each_name(node, lambda name, op=op: ast.UnaryOp(op, name)):
            yield new


def _with_each_name(node: ast.AST, change: Operator | object) -> Iterator[ast.AST]:
    """The call or subscript with each name in it changed, one at a time."""
    assert callable(change)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Name) and isinstance(node.ctx, ast.Load):
        yield ast.Subscript(node.value, change(node.slice), node.ctx)
    elif isinstance(node, ast.Call):
        for place, argument in enumerate(node.args):
            if isinstance(argument, ast.Name | ast.Subscript):
                yield ast.Call(node.func, [*node.args[:place], change(argument), *node.args[place + 1 :]], node.keywords)


def mean_or_sum(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Another reduction of a loss."""
    if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("cross_entropy"):
        others = [keyword for keyword in node.keywords if keyword.arg != "reduction"]
        for reduction in ("sum", "mean", "none"):
            yield ast.Call(node.func, node.args, [*others, ast.keyword("reduction", ast.Constant(reduction))])


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
)
