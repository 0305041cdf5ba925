"""CUDA in clang's tree: attributes of functions and variables, launches, and what the intrinsics mean in plain C.

A launch is a call whose second child is a call of ``cudaConfigureCall`` with grid, block, shared bytes and stream; the
function it refers to is the kernel, of a template the instance.
"""

from __future__ import annotations

from ...python.regex import regex
from ..surface.nodes import (
    INT,
    Assign,
    Binary,
    Call,
    Cast,
    CType,
    Expression,
    FunctionKind,
    Index,
    InitializerList,
    Launch,
    Member,
    Name,
    Number,
    ScalarT,
    StructT,
    Unary,
)
from .binding import Cursor
from .kinds import ATTRIBUTES, CursorKind
from .scope import Scope

_DEVICE, _GLOBAL, _HOST = CursorKind.CUDA_DEVICE_ATTR, CursorKind.CUDA_GLOBAL_ATTR, CursorKind.CUDA_HOST_ATTR
_CALL, _FUNCTION = CursorKind.CALL_EXPR, CursorKind.FUNCTION_DECL
_CONFIGURE = frozenset({"cudaConfigureCall", "__cudaPushCallConfiguration", "hipConfigureCall"})
_CONFIGURED_LAUNCHERS = frozenset({"cudaLaunchKernelEx", "hipLaunchKernelEx"})
_LAUNCHERS = frozenset({"cudaLaunchKernel", "cudaLaunchCooperativeKernel", "hipLaunchKernel"})

_LOADS = frozenset({"__ldg", "__ldcs", "__ldcg", "__ldca", "__ldcv", "__ldlu"})
_STORES = frozenset({"__stcs", "__stcg", "__stwt", "__stwb"})
_CONVERSION = regex(
    r"__(?P<source>float|double|half|bfloat16|int|uint|ll|ull|short|ushort)2"
    r"(?P<result>float|double|half|bfloat16|int|uint|ll|ull|short|ushort)(?:_r[nzud])?"
)
_REAL = frozenset({"float", "double", "half", "bfloat16"})
_BITS = regex(r"__[a-z]+(?:16)?_as_[a-z]+(?:16)?|__hiloint2double|__double2(?:hi|lo)int")
_ARITHMETIC = regex(r"__[hfdi]?(?P<name>add|sub|mul|div)(?P<pair>2)?(?:_r[nzud]|_sat)?")
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_MADE = regex(r"make_(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]|make_cu\w+|make_(?:half|bfloat16)2")
_FUSED = regex(r"__h?fmaf?2?(?:_r[nzud]|_sat|_relu)?")


def function_kind(scope: Scope, definition: Cursor) -> FunctionKind:
    """Return the kind that its attributes give a function."""
    kinds = attributes_of(scope, definition)
    if _GLOBAL in kinds:
        return FunctionKind.KERNEL
    return FunctionKind.DEVICE if _DEVICE in kinds and _HOST not in kinds else FunctionKind.HOST


def attributes_of(scope: Scope, declaration: Cursor) -> frozenset[int]:
    """Return the kinds of the attributes of a declaration."""
    return frozenset(child.kind for child in scope.unit.children(declaration) if child.kind in ATTRIBUTES)


def is_kernel(scope: Scope, definition: Cursor) -> bool:
    """Return True for a ``__global__`` function."""
    return definition.kind == _FUNCTION and _GLOBAL in attributes_of(scope, definition)


# --- launches ------------------------------------------------------------------------------------------------------


def lower_launch(scope: Scope, cursor: Cursor, callee: Cursor, children: list[Cursor]) -> Launch | None:
    """Lower ``kernel<<<...>>>(...)``; None for any other call."""
    configuration = scope.unit.stripped(children[1]) if len(children) > 1 else None
    if configuration is None or configuration.kind != _CALL or scope.unit.spelling(configuration) not in _CONFIGURE:
        return None
    parts = [scope.expression(argument) for argument in scope.unit.arguments(configuration)[:3]]
    grid, block, shared = (*parts, None, None, None)[:3]
    arguments = tuple(map(scope.expression, scope.unit.arguments(cursor)))
    key = _kernel_key(scope, callee)
    return Launch(
        function=key,
        name=scope.unit.spelling(callee),
        grid=grid,
        block=block,
        shared=shared,
        arguments=arguments,
        span=scope.span,
        called=None if key else scope.expression(children[0]),
    )


def _kernel_key(scope: Scope, callee: Cursor) -> str:
    """Return the key of a kernel, the same in all units where its body is in another one; empty where none is named."""
    if callee.kind != _FUNCTION:
        return ""
    known = scope.function_key(callee)
    if known is not None:
        return known
    usr = scope.unit.text(scope.library.usr(callee))
    return usr if "#" in usr else scope.unit.spelling(callee)


def launched_by_call(scope: Scope, cursor: Cursor, name: str) -> Launch | None:
    """Lower ``cudaLaunchKernel((void *)kernel, grid, block, arguments, shared, stream)``; None for any other call.

    ``cudaLaunchKernelEx(&configuration, kernel, ...)`` has the arguments of the kernel as they are.
    """
    if name in _CONFIGURED_LAUNCHERS:
        return _configured_launch(scope, scope.unit.arguments(cursor))
    given = scope.unit.arguments(cursor) if name in _LAUNCHERS else []
    if len(given) < 3:
        return None
    kernel = _function_named(scope, given[0])
    key = None if kernel is None else scope.function_key(kernel)
    if kernel is None or key is None:
        return None
    grid, block, *rest = map(scope.expression, given[1:])
    positions = range(len(scope.unit.arguments(kernel))) if rest else ()
    return Launch(
        function=key,
        name=scope.unit.spelling(kernel),
        grid=grid,
        block=block,
        shared=rest[1] if len(rest) > 1 else None,
        arguments=tuple(_behind_address(scope, rest[0], position) for position in positions),
        span=scope.span,
    )


def _configured_launch(scope: Scope, given: list[Cursor]) -> Launch | None:
    kernel = _function_named(scope, given[1]) if len(given) > 1 else None
    key = None if kernel is None else scope.function_key(kernel)
    if kernel is None or key is None:
        return None
    configuration = Unary("*", scope.expression(given[0]), scope.span)
    grid, block, shared = (
        Member(configuration, field, scope.span) for field in ("gridDim", "blockDim", "dynamicSmemBytes")
    )
    return Launch(
        function=key,
        name=scope.unit.spelling(kernel),
        grid=grid,
        block=block,
        shared=shared,
        arguments=tuple(map(scope.expression, given[2:])),
        span=scope.span,
    )


def _behind_address(scope: Scope, addresses: Expression, position: int) -> Expression:
    """Return ``*addresses[position]``."""
    return Unary("*", Index(addresses, Number(position, INT, scope.span), scope.span), scope.span)


def _function_named(scope: Scope, cursor: Cursor) -> Cursor | None:
    """Return the function that ``(void *)kernel`` or ``&kernel`` names."""
    while True:
        referenced = scope.library.referenced(cursor)
        if referenced.kind == _FUNCTION:
            return referenced
        inner = scope.unit.operands(cursor)
        if not inner:
            return None
        cursor = inner[-1]


# --- intrinsics ----------------------------------------------------------------------------------------------------


def intrinsic(scope: Scope, name: str, arguments: tuple[Expression, ...], kind: CType) -> Expression | None:
    """Return a function of the device library as plain C, or None where its name is enough.

    Compilers do not look into one that makes a real number of a whole one, nor into one that takes its bits.
    """
    if _BITS.fullmatch(name) and isinstance(kind, ScalarT):
        return Call("__ai_bits", "__ai_bits", arguments, kind, scope.span)
    if len(arguments) == 1:
        if name in _LOADS:
            return Unary("*", arguments[0], scope.span)
        conversion = _CONVERSION.fullmatch(name)
        if conversion and isinstance(kind, ScalarT):
            is_integer = conversion["source"] not in _REAL
            if is_integer and conversion["result"] in _REAL:
                return Call("__ai_rounded", "__ai_rounded", arguments, kind, scope.span)
            return Cast(kind, arguments[0], scope.span)
        if name in ("__hneg", "__hneg2"):
            return Unary("-", arguments[0], scope.span)
    if len(arguments) == 2:
        if name in _STORES:
            return Assign("", Unary("*", arguments[0], scope.span), arguments[1], scope.span)
        arithmetic = _ARITHMETIC.fullmatch(name)
        if arithmetic and isinstance(kind, ScalarT) and kind.element.scalar.is_float:
            return Binary(_OPERATORS[arithmetic["name"]], arguments[0], arguments[1], scope.span)
        if name in ("__mul24", "__umul24", "mul24"):
            return Binary("*", arguments[0], arguments[1], scope.span)
    if len(arguments) == 3 and _FUSED.fullmatch(name):
        return Call("fma", "fma", arguments, kind, scope.span)
    if _MADE.fullmatch(name) and isinstance(kind, StructT | ScalarT):
        return InitializerList(kind, arguments, scope.span)
    return None


def converted(scope: Scope, kind: CType, value: Expression) -> Expression:
    """Lower ``__half(x)`` and ``float(h)``, a constructor or a conversion operator."""
    if isinstance(value, Name) and value.variable.type == kind:
        return value
    return Cast(kind, value, scope.span) if isinstance(kind, ScalarT) else value
