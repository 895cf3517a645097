"""The time door: order is carried by a state that is updated once a token, h_t = f(x_t, h_{t-1}).

Elman (1990); the GRU of Cho et al. (1406.1078) in the form that torch and cuDNN use, where the reset
gate acts after the recurrent product; additive attention of Bahdanau et al. (1409.0473). Weights are laid
out as torch's modules have them: rows are outputs, and a GRU's rows are reset, update, candidate.
"""

from collections.abc import Callable

from jaxtyping import Bool, Float

from seqpos._arrays import Array, as_array, check_broadcast, check_shape, floats, floats_alike, namespace


def elman_cell(
    x: Float[Array, "*batch inputs"],
    h: Float[Array, "*batch hidden"],
    *,
    input_weight: Float[Array, "hidden inputs"],
    hidden_weight: Float[Array, "hidden hidden"],
    bias: Float[Array, " hidden"],
) -> Float[Array, "*batch hidden"]:
    """One step of Elman's network: tanh(W x + U h + b).

    Args:
        x: the token read now [..., inputs].
        h: the state before it [..., hidden].
        input_weight: W; hidden_weight: U; bias: b.

    Returns:
        the state after it, [..., hidden].

    Raises:
        TypeError: an argument is not a floating-point array. ValueError: shapes that do not fit.

    Source: Elman (1990), Finding structure in time.

    >>> import numpy as np
    >>> one = np.ones((1, 1))
    >>> elman_cell(one, 0 * one, input_weight=one, hidden_weight=one, bias=np.zeros(1)).round(4).tolist()
    [[0.7616]]
    """
    xp, device = namespace(x, h, input_weight, hidden_weight, bias)
    x, h, w, u, b = floats_alike(
        xp, device, x=x, h=h, input_weight=input_weight, hidden_weight=hidden_weight, bias=bias
    )
    _check_cell(x, h, w, u, {"bias": b}, gates=1)
    return xp.tanh(x @ w.T + h @ u.T + b)


def gru_cell(
    x: Float[Array, "*batch inputs"],
    h: Float[Array, "*batch hidden"],
    *,
    input_weight: Float[Array, "gates inputs"],
    hidden_weight: Float[Array, "gates hidden"],
    input_bias: Float[Array, " gates"],
    hidden_bias: Float[Array, " gates"],
) -> Float[Array, "*batch hidden"]:
    """One step of a gated recurrent unit: the update gate z keeps old state, h' = (1 - z) n + z h.

    r and z are sigmoids of a sum of one product with x and one with h; the candidate is
    n = tanh(W x + b + r · (U h + c)).

    Args:
        x: the token read now [..., inputs].
        h: the state before it [..., hidden].
        input_weight, hidden_weight: [3 · hidden, inputs] and [3 · hidden, hidden], rows r, z, n.
        input_bias, hidden_bias: [3 · hidden].

    Returns:
        the state after it, [..., hidden].

    Raises:
        TypeError: an argument is not a floating-point array. ValueError: shapes that do not fit.

    Source: Cho et al. (1406.1078), equations 5 to 8; the reset gate's place as in torch.nn.GRU.

    >>> import numpy as np
    >>> w, b = np.zeros((3, 1)), np.zeros(3)
    >>> one = np.ones((1, 1))
    >>> gru_cell(one, one, input_weight=w, hidden_weight=w, input_bias=b, hidden_bias=b).tolist()
    [[0.5]]
    """
    xp, device = namespace(x, h, input_weight, hidden_weight, input_bias, hidden_bias)
    x, h, w, u, b, c = floats_alike(
        xp,
        device,
        x=x,
        h=h,
        input_weight=input_weight,
        hidden_weight=hidden_weight,
        input_bias=input_bias,
        hidden_bias=hidden_bias,
    )
    _check_cell(x, h, w, u, {"input_bias": b, "hidden_bias": c}, gates=3)
    size = h.shape[-1]
    from_x, from_h = x @ w.T + b, h @ u.T + c
    reset = _sigmoid(from_x[..., :size] + from_h[..., :size], xp)
    update = _sigmoid(from_x[..., size : 2 * size] + from_h[..., size : 2 * size], xp)
    candidate = xp.tanh(from_x[..., 2 * size :] + reset * from_h[..., 2 * size :])
    return (1 - update) * candidate + update * h


def unroll(
    step: Callable[[Array, Array], Array], inputs: Float[Array, "*batch length size"], h: Float[Array, "*batch hidden"]
) -> Float[Array, "*batch length hidden"]:
    """All states of a recurrent network, one step after the other; the last is the context vector.

    The loop cannot be taken apart: step t needs the result of step t - 1.

    Args:
        step: from the token read now and the state before it to the state after it.
        inputs: [..., length, size].
        h: the state before the first token [..., hidden].

    Returns:
        [..., length, hidden]; an empty sequence gives an empty result.

    Raises:
        TypeError: `inputs` or `h` is not a floating-point array. ValueError: `inputs` without a length.

    Source: Sutskever et al. (1409.3215), Cho et al. (1406.1078).

    >>> import numpy as np
    >>> unroll(lambda x, h: x + h, np.array([[1.0], [2.0], [3.0]]), np.zeros(1)).tolist()
    [[1.0], [3.0], [6.0]]
    """
    if not callable(step):
        raise TypeError(f"step must be a function of a token and a state, got {step!r}")
    xp, device = namespace(inputs, h)
    inputs, h = floats("inputs", inputs, xp, device), floats("h", h, xp, device)
    if inputs.ndim < 2:
        raise ValueError(f"inputs must have shape [..., length, size], got {tuple(inputs.shape)}")
    if h.ndim < 1:
        raise ValueError("h must have shape [..., hidden], got a single number")
    states = []
    for t in range(inputs.shape[-2]):
        h = step(inputs[..., t, :], h)
        states.append(h)
    if not states:
        return xp.zeros((*inputs.shape[:-1], h.shape[-1]), dtype=h.dtype, device=device)
    return xp.stack(states, axis=-2)


def additive_attention(
    query: Float[Array, "*batch query_size"],
    states: Float[Array, "*batch length state_size"],
    *,
    query_weight: Float[Array, "inner query_size"],
    state_weight: Float[Array, "inner state_size"],
    score_weight: Float[Array, " inner"],
    mask: Bool[Array, "*batch length"] | None = None,
) -> tuple[Float[Array, "*batch state_size"], Float[Array, "*batch length"]]:
    """Bahdanau's attention: a context made anew for each output, instead of one for all.

    Scores are v·tanh(W query + U state); their softmax weighs the encoder's states.

    Args:
        query: the decoder's state [..., query_size].
        states: all states of the encoder [..., length, state_size], at least one.
        query_weight: W; state_weight: U; score_weight: v.
        mask: False where a state belongs to padding; every row needs a True.

    Returns:
        the context [..., state_size] and the weights [..., length], which sum to 1.

    Raises:
        TypeError: an argument is not a floating-point array.
        ValueError: shapes that do not fit, no states at all or none left by the mask (there is
            nothing to attend to).

    Source: Bahdanau et al. (1409.0473), section 3.1 and appendix A.1.2.

    >>> import numpy as np
    >>> one = np.ones((1, 1))
    >>> context, weights = additive_attention(np.ones(1), np.array([[1.0], [3.0]]), query_weight=one,
    ...                                       state_weight=0 * one, score_weight=np.ones(1))
    >>> context.tolist(), weights.tolist()
    ([2.0], [0.5, 0.5])
    """
    xp, device = namespace(query, states, query_weight, state_weight, score_weight, mask)
    query, states, w, u, v = floats_alike(
        xp,
        device,
        query=query,
        states=states,
        query_weight=query_weight,
        state_weight=state_weight,
        score_weight=score_weight,
    )
    if query.ndim < 1:
        raise ValueError("query must have shape [..., query_size], got a single number")
    if states.ndim < 2 or states.shape[-2] == 0:
        raise ValueError(
            f"states must have shape [..., length, state_size] with a length of at least 1, got {tuple(states.shape)}"
        )
    inner = v.shape[0] if v.ndim else 0
    check_shape("score_weight", v, (inner,), "[inner]")
    check_shape("query_weight", w, (inner, query.shape[-1]), "[inner, query_size]")
    check_shape("state_weight", u, (inner, states.shape[-1]), "[inner, state_size]")
    check_broadcast(query=query.shape[:-1], states=states.shape[:-2])
    scores = xp.sum(xp.tanh((query @ w.T)[..., None, :] + states @ u.T) * v, axis=-1)
    if mask is not None:
        mask = as_array("mask", mask, xp, device)
        if not xp.isdtype(mask.dtype, "bool") or tuple(mask.shape) != tuple(scores.shape):
            raise ValueError(
                f"mask must be booleans of shape {tuple(scores.shape)}, got {mask.dtype} of {tuple(mask.shape)}"
            )
        if not xp.all(xp.any(mask, axis=-1)):
            raise ValueError("mask must leave at least one state in every row, got a row that is all False")
        scores = xp.where(mask, scores, -xp.inf)
    weights = xp.exp(scores - xp.max(scores, axis=-1, keepdims=True))
    weights = weights / xp.sum(weights, axis=-1, keepdims=True)
    return xp.sum(weights[..., None] * states, axis=-2), weights


def _sigmoid(x: Array, xp) -> Array:
    # tanh saturates where exp would overflow.
    return 0.5 + 0.5 * xp.tanh(0.5 * x)


def _check_cell(x: Array, h: Array, w: Array, u: Array, biases: dict[str, Array], *, gates: int) -> None:
    for name, array in (("x", x), ("h", h)):
        if array.ndim < 1:
            raise ValueError(f"{name} must have an axis [..., size], got a single number")
    inputs, hidden = x.shape[-1], h.shape[-1]
    rows = "hidden" if gates == 1 else f"{gates} · hidden"
    check_shape("input_weight", w, (gates * hidden, inputs), f"[{rows}, inputs]")
    check_shape("hidden_weight", u, (gates * hidden, hidden), f"[{rows}, hidden]")
    for name, bias in biases.items():
        check_shape(name, bias, (gates * hidden,), f"[{rows}]")
    check_broadcast(x=x.shape[:-1], h=h.shape[:-1])
