"""What every formula needs before it starts: one array library, one device, checked arguments.

The first array that is not NumPy decides the library and the device; with none, NumPy.
Every check raises at the call that got the bad value and names the argument, the value and what
is allowed.
"""

import math
import numbers
import operator
import sys
from collections.abc import Collection
from types import ModuleType
from typing import Any

import array_api_compat
import numpy as np
from array_api_compat import numpy as numpy_namespace

Array = Any
"""An array of any library of the Python array API standard; shapes are in the annotations."""

Numbers = int | float | list | tuple
"""Plain Python data that is taken where an array is."""

Real = int | float
"""A Python number; said apart, because a checker of annotations takes `float` at its word."""


def _is_torch(value: Any) -> bool:
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def namespace(*values: Any) -> tuple[ModuleType, Any]:
    """The array library and the device that the arguments ask for."""
    for value in values:
        if _is_torch(value):
            # Named here, because looking it up through array-api-compat warns where compiled.
            from array_api_compat import torch as torch_namespace

            return torch_namespace, value.device
        if array_api_compat.is_array_api_obj(value) and not array_api_compat.is_numpy_array(value):
            return array_api_compat.array_namespace(value), array_api_compat.device(value)
    return numpy_namespace, "cpu"


def widest_float(xp: ModuleType, device: Any) -> Any:
    """float64, or float32 on a device that has no float64 (Apple's MPS)."""
    return xp.float32 if getattr(device, "type", None) == "mps" else xp.float64


def is_real_floating(x: Array, xp: ModuleType) -> bool:
    """Whether `x` holds real floating-point numbers, half types included."""
    if _is_torch(x):
        return x.dtype.is_floating_point
    return xp.isdtype(x.dtype, "real floating")


def as_array(name: str, value: Any, xp: ModuleType, device: Any) -> Array:
    """`value` as an array of library `xp` on `device`; one that is there already is returned as it is."""
    if _is_torch(value) and xp.__name__.endswith("torch"):
        return value.to(device)
    try:
        if array_api_compat.is_array_api_obj(value):
            if array_api_compat.array_namespace(value) is xp:
                return array_api_compat.to_device(value, device)
            value = np.asarray(value)
        else:
            given, value = value, np.asarray(value)
            if value.dtype == object:
                if all(isinstance(entry, int) for entry in value.flat):
                    raise OverflowError(f"{name} must fit in 64-bit signed integers, got {given!r}")
                raise TypeError("its entries are not numbers of one shape")
    except OverflowError as error:
        raise ValueError(str(error)) from None
    except (ValueError, TypeError, RuntimeError) as error:
        raise TypeError(f"{name} must be numbers or an array, got {value!r}: {error}") from None
    if value.dtype == np.float64 and widest_float(xp, device) != xp.float64:
        value = value.astype(np.float32)
    return xp.asarray(value, device=device)


def integers(name: str, value: Any, xp: ModuleType, device: Any) -> Array:
    """`value` as an int64 array. Positions never pass through a floating-point type on their way."""
    array = as_array(name, value, xp, device)
    if isinstance(value, list | tuple) and 0 in array.shape:
        return xp.zeros(array.shape, dtype=xp.int64, device=device)
    if not xp.isdtype(array.dtype, "integral"):
        raise TypeError(f"{name} must be integers, got {_kind(value, array)}; round or cast them first")
    if array.dtype == xp.uint64 and xp.any(array > 2**63 - 1):
        raise ValueError(f"{name} must fit in 64-bit signed integers, got a value above 2**63 - 1")
    return xp.astype(array, xp.int64)


def reals(name: str, value: Any, xp: ModuleType, device: Any) -> Array:
    """`value` as a real floating-point array; integers become the widest floating-point type."""
    array = as_array(name, value, xp, device)
    if is_real_floating(array, xp):
        return array
    if xp.isdtype(array.dtype, "integral"):
        return xp.astype(array, widest_float(xp, device))
    raise TypeError(f"{name} must be real numbers, got {_kind(value, array)}")


def floats(name: str, value: Any, xp: ModuleType, device: Any) -> Array:
    """`value` as a real floating-point array; integers are a TypeError, since the result has its dtype."""
    array = as_array(name, value, xp, device)
    if not is_real_floating(array, xp):
        raise TypeError(f"{name} must be a floating-point array, got {_kind(value, array)}")
    return array


def floats_alike(xp: ModuleType, device: Any, **values: Any) -> list[Array]:
    """Each of the named values as by `floats`, all of the widest dtype among them: torch multiplies no mixed ones."""
    arrays = [floats(name, value, xp, device) for name, value in values.items()]
    if len({str(array.dtype) for array in arrays}) == 1:
        return arrays
    widest = xp.result_type(*arrays)
    return [array if array.dtype == widest else xp.astype(array, widest) for array in arrays]


def _kind(value: Any, array: Array) -> str:
    return f"dtype {array.dtype}" if hasattr(value, "dtype") else repr(value)


def take_along_last(array: Array, index: Array, xp: ModuleType) -> Array:
    """Entries of the last axis by an index of the same leading shape."""
    if _is_torch(array):
        # take_along_dim fixes every size where compiled, and so compiles for each length.
        return array.gather(-1, index)
    return xp.take_along_axis(array, index, axis=-1)


def check_integer(name: str, value: Any, *, minimum: int | None = None, even: bool = False) -> int:
    """A Python or NumPy integer, at least `minimum`; booleans are not integers here."""
    try:
        if isinstance(value, bool | np.bool_):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} must be an integer, got {value!r}") from None
    allowed = ("an even integer" if even else "an integer") + ("" if minimum is None else f" of at least {minimum}")
    if (minimum is not None and number < minimum) or (even and number % 2):
        raise ValueError(f"{name} must be {allowed}, got {value!r}")
    return number


def check_positive(name: str, value: Any) -> float:
    """A finite real number above zero, as a float."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be a real number, got {value!r}")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not (math.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be a finite number above 0, got {value!r}")
    return number


def check_flag(name: str, value: Any) -> bool:
    """True or False; "no" and None are not taken for one of them."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def check_choice(name: str, value: Any, allowed: Collection[str]) -> str:
    """One of a few names."""
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(map(repr, allowed))}, got {value!r}")
    return value


def check_axis(name: str, array: Array, axis: int, size: int, meaning: str) -> None:
    """One axis of an array has the size that another argument asks for."""
    if array.ndim < abs(axis) or array.shape[axis] != size:
        raise ValueError(f"{name} must have {meaning} = {size} on axis {axis}, got shape {tuple(array.shape)}")


def check_shape(name: str, array: Array, shape: tuple[int, ...], meaning: str) -> None:
    """All axes of an array have the sizes that other arguments ask for."""
    if tuple(array.shape) != shape:
        raise ValueError(f"{name} must have shape {meaning} = {shape}, got {tuple(array.shape)}")


def check_broadcast(**shapes: tuple[int, ...]) -> tuple[int, ...]:
    """The shape that the named leading axes broadcast to.

    Written out, because torch.broadcast_shapes fixes every size where compiled, and so compiles for each length.
    """
    lead: list[int] = []
    for shape in shapes.values():
        lead = [1] * (len(shape) - len(lead)) + lead
        for axis in range(-len(shape), 0):
            if lead[axis] == 1:
                lead[axis] = shape[axis]
            elif shape[axis] != 1 and shape[axis] != lead[axis]:
                names, got = " and ".join(shapes), " and ".join(str(tuple(shape)) for shape in shapes.values())
                raise ValueError(f"{names} must broadcast over their leading axes, got {got}")
    return tuple(lead)
