"""What a mutation may change: each operator looks at one place of a syntax tree and gives what could stand there instead.

They work on Python's own trees and are of this field: cosmic-ray and mutmut know the usual ones alone, on trees of parso and libcst.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator

from autograder.mutants.scope import Scope

Operator = Callable[[ast.AST, Scope], Iterator[ast.AST | list[ast.stmt]]]
"""Gives what to put in the place of a node: another node, or statements for a statement. It leaves the node as it is."""

_COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.Gt),
    ast.LtE: (ast.Lt, ast.GtE),
    ast.Gt: (ast.GtE, ast.Lt),
    ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
_ARITHMETIC: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}
_ORDERED = (ast.Sub, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult)
_RELATED = (
    ("sum", "mean"),
    ("max", "min"),
    ("argmax", "argmin"),
    ("softmax", "log_softmax"),
    ("sigmoid", "tanh"),
    ("sin", "cos"),
    ("any", "all"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("new_zeros", "new_ones"),
    ("tril", "triu"),
    ("cumsum", "cumprod"),
    ("append", "extend"),
    ("isfinite", "isnan"),
    ("square", "abs"),
    ("logsigmoid", "sigmoid"),
    ("gelu", "relu"),
)
_OTHER_NAME = {old: new for pair in _RELATED for old, new in (pair, pair[::-1])} | {"reshape": "view"}
_REDUCTIONS = {"sum", "mean", "max", "min", "norm", "var", "std", "any", "all", "argmax", "argmin", "cumsum"}
_IN_PLACE = {"masked_fill", "sigmoid", "tanh", "exp", "square", "sqrt", "clamp", "scatter", "unsqueeze", "squeeze"}
_NO_GRADIENT = {
    "arange",
    "zeros",
    "ones",
    "eye",
    "full",
    "empty",
    "tensor",
    "rand",
    "randint",
    "zeros_like",
    "ones_like",
    "full_like",
    "empty_like",
    "new_zeros",
    "argmax",
    "len",
    "min",
    "range",
    "list",
    "set",
    "item",
    "tolist",
    "sorted",
    "split",
    "keys_values",
}
_WHOLE = {
    "tokens",
    "target",
    "targets",
    "source",
    "lengths",
    "labels",
    "segments",
    "indices",
    "correct",
    "mask",
    "source_mask",
    "target_mask",
}
"""Arguments of ids, lengths and masks: they have no gradient, and as floats they are no others."""
_SYMMETRIC = {"transpose", "max", "min"}
_GUARDS = {"strict"}
"""Keywords that only raise where the arguments break the exercise's promise."""


def other_constant(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A number plus 1, minus 1 and 0; the other truth value; a string with a character more."""
    if not isinstance(node, ast.Constant):
        return
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, int | float):
        found = {node.value + 1: None, node.value - 1: None, 0: None}
        yield from (ast.Constant(value) for value in found if value != node.value)
    elif isinstance(node.value, str):
        yield ast.Constant(f"{node.value}x")


def other_comparison(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The limit of a comparison counted in or out, its direction turned, and its contrary."""
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        for op in _COMPARISONS[type(node.ops[0])]:
            yield ast.Compare(node.left, [op()], node.comparators)


def other_arithmetic(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Another of the arithmetic operators, also in `x += y`."""
    if isinstance(node, ast.BinOp) and type(node.op) in _ARITHMETIC:
        yield ast.BinOp(node.left, _ARITHMETIC[type(node.op)](), node.right)
    elif isinstance(node, ast.AugAssign) and type(node.op) in _ARITHMETIC:
        yield ast.AugAssign(node.target, _ARITHMETIC[type(node.op)](), node.value)


def other_logic(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """`and` for `or`, and each of their sides alone."""
    if isinstance(node, ast.BoolOp):
        yield ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
        yield from node.values


def sign_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Without the minus, the `~` or the `not`."""
    if isinstance(node, ast.UnaryOp):
        yield node.operand


def side_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """One side of an arithmetic operation alone."""
    if isinstance(node, ast.BinOp):
        yield from (node.left, node.right)


def other_axis(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """`dim=` of another axis; statistics over the wrong axis are among them.

    Counted from the same end: of a matrix the axes 1 and -1 are the same.
    """
    if isinstance(node, ast.keyword) and node.arg == "dim":
        axis = ast.literal_eval(node.value)
        others = (axis - 1, axis + 1) if axis > 0 else (1, -1) if axis == 0 else (axis - 1, axis + 1)
        yield from (ast.keyword("dim", ast.Constant(other)) for other in others)


def keyword_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A keyword argument left out: an axis, `keepdim`, a dtype, a device, a generator."""
    if isinstance(node, ast.Call):
        for keyword in node.keywords:
            if keyword.arg not in _GUARDS:
                yield ast.Call(node.func, node.args, [k for k in node.keywords if k is not keyword])


def axis_kept(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """`keepdim=True` put into a reduction over an axis."""
    if isinstance(node, ast.Call) and _called(node) in _REDUCTIONS - {"cumsum"}:
        names = {keyword.arg for keyword in node.keywords}
        if "dim" in names and "keepdim" not in names:
            yield ast.Call(node.func, node.args, [*node.keywords, ast.keyword("keepdim", ast.Constant(True))])


def related_function(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A function of the same family, such as the mean for the sum."""
    if isinstance(node, ast.Attribute) and node.attr in _OTHER_NAME and isinstance(node.ctx, ast.Load):
        yield ast.Attribute(node.value, _OTHER_NAME[node.attr], ast.Load())
    elif isinstance(node, ast.Name) and node.id in ("max", "min", "any", "all"):
        yield ast.Name(_OTHER_NAME[node.id], ast.Load())


def call_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """What a method is called on, or the first argument of a function, in the place of the result."""
    if not isinstance(node, ast.Call):
        return
    if isinstance(node.func, ast.Attribute) and not _is_module(node.func.value):
        yield node.func.value
    if node.args and not isinstance(node.args[0], ast.Starred | ast.GeneratorExp):
        yield node.args[0]


def mask_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """What an index or a mask selects from, whole."""
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        yield node.value


def index_shifted(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The start or the end of a slice or a range, or the index of a loop, moved by one."""
    if isinstance(node, ast.Slice):
        for lower in _moved(node.lower):
            yield ast.Slice(lower, node.upper, node.step)
        for upper in _moved(node.upper):
            yield ast.Slice(node.lower, upper, node.step)
        if node.lower is None and node.step is None:
            yield ast.Slice(ast.Constant(1), node.upper, None)
        if node.upper is None and node.step is None:
            yield ast.Slice(node.lower, ast.Constant(-1), None)
    elif isinstance(node, ast.Call) and _called(node) in ("range", "arange"):
        for place, bound in enumerate(node.args):
            for other in _moved(bound):
                yield ast.Call(node.func, [*node.args[:place], other, *node.args[place + 1 :]], node.keywords)
    elif isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        for place, part in enumerate(parts):
            if isinstance(part, ast.Name) and part.id in scope.loops:
                for other in _moved(part):
                    moved = [*parts[:place], other, *parts[place + 1 :]]
                    index = ast.Tuple(moved, ast.Load()) if len(moved) > 1 else other
                    yield ast.Subscript(node.value, index, node.ctx)


def arguments_swapped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """Two neighbours in a call, a tuple or a list, or the sides of an operation whose order counts, swapped."""
    if isinstance(node, ast.Call) and _called(node) not in _SYMMETRIC:
        for args in _swapped(node.args):
            yield ast.Call(node.func, args, node.keywords)
    elif isinstance(node, ast.Tuple):
        for elements in _swapped(node.elts):
            yield ast.Tuple(elements, node.ctx)
    elif isinstance(node, ast.List):
        for elements in _swapped(node.elts):
            yield ast.List(elements, node.ctx)
    elif isinstance(node, ast.BinOp) and (isinstance(node.op, _ORDERED) or _joins_lists(node)):
        yield ast.BinOp(node.right, node.op, node.left)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(node.test, node.orelse, node.body)


def condition_fixed(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A condition that is always true or never, and a filter left out."""
    if isinstance(node, ast.If):
        for value in (True, False):
            yield ast.If(ast.Constant(value), node.body, node.orelse)
    elif isinstance(node, ast.While):
        yield ast.While(ast.Constant(True), node.body, node.orelse)
    elif isinstance(node, ast.IfExp):
        yield from (node.body, node.orelse)
    elif isinstance(node, ast.comprehension) and node.ifs:
        yield ast.comprehension(node.target, node.iter, [], node.is_async)


def statement_dropped(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A statement, such as a `break`, left out; not one without which a name is never bound."""
    if isinstance(node, ast.Assign | ast.AnnAssign):
        names = {name.id for name in ast.walk(node) if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)}
        if all(scope.bound[name] > 1 for name in names):
            yield ast.Pass()
    elif isinstance(node, ast.stmt) and not isinstance(node, ast.Pass | ast.FunctionDef) and node is not scope.last:
        yield ast.Pass()


def in_place(node: ast.AST, scope: Scope) -> Iterator[ast.AST | list[ast.stmt]]:
    """An argument changed: `x = x + y` made `x += y`, and methods that end in `_`."""
    if isinstance(node, ast.Assign | ast.Return) and isinstance(node.value, ast.BinOp):
        left = node.value.left
        if isinstance(left, ast.Name) and left.id in scope.changeable and not isinstance(node.value.op, ast.MatMult):
            change = ast.AugAssign(ast.Name(left.id, ast.Store()), node.value.op, node.value.right)
            if isinstance(node, ast.Return):
                yield [change, ast.Return(left)]
            else:
                same = ast.unparse(node.targets[0]) == left.id
                yield [change] if same else [change, ast.Assign(node.targets, left, lineno=0)]
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _IN_PLACE:
        owner = node.func.value
        if isinstance(owner, ast.Name) and owner.id in scope.tensors:
            yield ast.Call(ast.Attribute(owner, f"{node.func.attr}_", ast.Load()), node.args, node.keywords)


def argument_returned(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The right result written into an argument, and that argument returned instead of a copy."""
    if isinstance(node, ast.Return) and node.value is not None and not isinstance(node.value, ast.Tuple | ast.Name):
        for name in scope.tensors:
            copy = ast.Attribute(ast.Name(name, ast.Load()), "copy_", ast.Load())
            yield ast.Return(ast.Call(copy, [node.value], []))


def detached(node: ast.AST, scope: Scope) -> Iterator[ast.AST | list[ast.stmt]]:
    """`detach` put in: on an argument, on what is assigned, on what is returned."""
    if scope.gives_tensors:
        yield from _with_method(node, scope, "detach")
        if isinstance(node, ast.Assign) and _carries_gradient(node.value):
            yield ast.Assign(node.targets, _method(node.value, "detach"), lineno=0)


def made_single(node: ast.AST, scope: Scope) -> Iterator[ast.AST | list[ast.stmt]]:
    """`float` put in: on an argument, on what is returned."""
    yield from _with_method(node, scope, "float")


def moved_to_cpu(node: ast.AST, scope: Scope) -> Iterator[ast.AST | list[ast.stmt]]:
    """`cpu` put in: on an argument, on what is returned."""
    yield from _with_method(node, scope, "cpu")


def without_gradient(node: ast.AST, scope: Scope) -> Iterator[list[ast.stmt]]:
    """`no_grad` around a loop or what is returned."""
    if scope.gives_tensors and isinstance(node, ast.For | ast.Return) and any(map(_is_work, ast.walk(node))):
        block = ast.With([ast.withitem(ast.parse("torch.no_grad()", mode="eval").body)], [node], lineno=0)
        yield [ast.Import([ast.alias("torch")]), block]


def root_truncated(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """The square root cut to a whole number."""
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow) and ast.unparse(node.right) in ("0.5", "-0.5"):
        root = ast.Call(ast.Name("int", ast.Load()), [ast.BinOp(node.left, ast.Pow(), ast.Constant(0.5))], [])
        inverse = ast.unparse(node.right) == "-0.5"
        yield ast.BinOp(ast.Constant(1), ast.Div(), root) if inverse else root
    elif isinstance(node, ast.Call) and _called(node) == "sqrt":
        yield ast.Call(ast.Attribute(node, "floor", ast.Load()), [], [])


def kept_across_calls(node: ast.AST, scope: Scope) -> Iterator[ast.AST]:
    """A value kept by the function, or by the object, and used again in the next call."""
    if isinstance(node, ast.Assign) and not isinstance(node.value, ast.Constant):
        kept = ast.parse(f"{scope.owner}.__dict__.setdefault('kept')", mode="eval").body
        assert isinstance(kept, ast.Call)
        yield ast.Assign(node.targets, ast.Call(kept.func, [*kept.args, node.value], []), lineno=0)


OPERATORS: tuple[Operator, ...] = (
    other_constant,
    other_comparison,
    other_arithmetic,
    other_logic,
    sign_dropped,
    side_dropped,
    other_axis,
    keyword_dropped,
    axis_kept,
    related_function,
    call_dropped,
    mask_dropped,
    index_shifted,
    arguments_swapped,
    condition_fixed,
    statement_dropped,
    in_place,
    argument_returned,
    detached,
    made_single,
    moved_to_cpu,
    without_gradient,
    root_truncated,
    kept_across_calls,
)


def _called(call: ast.Call) -> str:
    """The last part of the name of what is called."""
    return getattr(call.func, "attr", getattr(call.func, "id", ""))


def _is_module(node: ast.AST) -> bool:
    """Whether it is one of the modules that solutions use."""
    return ast.unparse(node) in ("torch", "torch.autograd", "torch.linalg", "F", "math", "nn")


def _with_method(node: ast.AST, scope: Scope, method: str) -> Iterator[ast.AST | list[ast.stmt]]:
    """The method called on each argument that is a tensor, before the first statement, and on each value returned."""
    if node is scope.first:
        for name in [name for name in scope.tensors if method == "cpu" or name not in _WHOLE]:
            yield [
                ast.Assign([ast.Name(name, ast.Store())], _method(ast.Name(name, ast.Load()), method), lineno=0),
                node,
            ]
    if isinstance(node, ast.Return) and scope.tensors and scope.gives_tensors:
        if isinstance(node.value, ast.Tuple):
            values = node.value.elts
            for place, value in enumerate(values):
                changed = [*values[:place], _method(value, method), *values[place + 1 :]]
                yield ast.Return(ast.Tuple(changed, ast.Load()))
        elif node.value is not None:
            yield ast.Return(_method(node.value, method))


def _is_work(node: ast.AST) -> bool:
    """Whether it computes something, and does not only name it."""
    return isinstance(node, ast.Call | ast.BinOp)


def _method(value: ast.expr, name: str) -> ast.Call:
    return ast.Call(ast.Attribute(value, name, ast.Load()), [], [])


def _carries_gradient(value: ast.expr) -> bool:
    """Whether it may have a gradient: a result that is made of no number of an argument's has none."""
    calls = [_called(node) for node in ast.walk(value) if isinstance(node, ast.Call)]
    plain = any(isinstance(node, ast.Compare | ast.List | ast.ListComp) for node in ast.walk(value))
    whole = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)} <= _WHOLE
    return isinstance(value, ast.Call | ast.BinOp) and not plain and not whole and not _NO_GRADIENT & set(calls)


def _joins_lists(node: ast.BinOp) -> bool:
    """Whether it is a sum with a list in it."""
    return isinstance(node.op, ast.Add) and any(isinstance(side, ast.List) for side in (node.left, node.right))


def _moved(bound: ast.expr | None) -> Iterator[ast.expr]:
    """The bound plus 1 and minus 1; numbers are moved as constants already."""
    if bound is not None and not isinstance(bound, ast.Constant):
        for op in (ast.Add(), ast.Sub()):
            yield ast.BinOp(bound, op, ast.Constant(1))


def _swapped(items: list[ast.expr]) -> Iterator[list[ast.expr]]:
    """The items with two neighbours swapped, for each two of them."""
    for place in range(len(items) - 1):
        if not any(isinstance(item, ast.Starred) for item in items[place : place + 2]):
            yield [*items[:place], items[place + 1], items[place], *items[place + 2 :]]
