"""Newton's method for a convex function of which some arguments must be ≥ 0.

Weights at 0 whose gradient is positive stay there; the Newton step of all other
arguments comes from preconditioned conjugate gradients. Source: Bertsekas (1982),
Projected Newton methods for optimization problems with simple constraints, SIAM Journal
on Control and Optimization 20.
"""

import numpy as np

_MAX_STEPS = 100
_MAX_HALVINGS = 30
# The share of the residual that conjugate gradients leave, at most.
_MAX_RESIDUAL = 0.25
# Armijo's condition: the least share of the decrease that the gradient promises.
_MIN_SHARE = 1e-4
# The least curvature, as a share of the largest. Steps along smaller ones would
# overflow when squared.
_MIN_CURVATURE = 1e-100


def minimize(objective, vector, tolerance, rounding=0.0):
    """Return the vector of the least value whose first `n_terms` elements are ≥ 0."""
    # objective: has n_terms; gradient(vector), the value and the gradient at a vector;
    # and at that vector hessian_product(direction) and curvature(), the estimated
    # diagonal of the Hessian. vector: where the search begins. It ends when the squared
    # length of the projected gradient, in the norm of the estimated Hessian, is at most
    # the share `tolerance` of the size of the value. rounding: the error of a value, if
    # it may be larger than a share of the value itself, as in a sum of log losses near
    # 0: the search then goes by the gradient.
    is_weight = np.arange(len(vector)) < objective.n_terms
    value, gradient = objective.gradient(vector)
    first = None
    for _ in range(_MAX_STEPS):
        scale = objective.curvature()
        scale = np.maximum(scale, _MIN_CURVATURE * scale.max())
        free = ~(is_weight & (vector <= 0) & (gradient > 0))
        length = np.linalg.norm(gradient[free] / np.sqrt(scale[free]))
        first = length if first is None else first
        if length**2 <= tolerance * abs(value):
            break
        accuracy = min(_MAX_RESIDUAL, np.sqrt(length / first))
        direction = _newton_direction(objective, gradient, free, scale, accuracy)
        if not direction.any():
            break
        found = _line_search(
            objective, vector, value, gradient, direction, is_weight, rounding
        )
        if found is None:  # no step changes the value by more than rounding
            break
        vector, value, gradient = found
    return vector


def _newton_direction(objective, gradient, free, scale, accuracy):
    """Return an approximate solution d of H d = -gradient on the free parameters."""
    # In place, and of the type of the gradient: the vectors may be large.
    direction = np.zeros_like(gradient)
    residual = -gradient
    residual[~free] = 0.0
    conjugate = residual / scale
    work = np.empty_like(residual)
    energy = float(residual @ conjugate)
    target = accuracy**2 * energy
    for _ in range(len(gradient)):
        product = objective.hessian_product(conjugate)
        product[~free] = 0.0
        with np.errstate(over="ignore", invalid="ignore"):
            curvature = float(conjugate @ product)
        # Beside a huge weight the products vanish or overflow.
        if not 1e-100 * energy < curvature < np.inf:
            break
        step = energy / curvature
        direction += np.multiply(conjugate, step, out=work)
        residual -= np.multiply(product, step, out=work)
        np.divide(residual, scale, out=work)
        next_energy = float(residual @ work)
        if next_energy <= target:
            break
        conjugate *= next_energy / energy
        conjugate += work
        energy = next_energy
    return direction


def _line_search(objective, vector, value, gradient, direction, is_weight, rounding):
    """Return (vector, value, gradient) after a step along a projected direction."""
    # Return None if no step lowers the value, or the gradient where rounding hides a
    # change of the value.
    step, rounding = 1.0, max(1e-13 * abs(value), rounding)
    for _ in range(_MAX_HALVINGS):
        moved = vector + step * direction
        moved = np.where(is_weight, np.maximum(moved, 0.0), moved)
        new_value, new_gradient = objective.gradient(moved)
        promised = gradient @ (moved - vector)
        if new_value <= value + _MIN_SHARE * promised:
            return moved, new_value, new_gradient
        if abs(promised) < rounding and new_value <= value + rounding:
            new_length = _projected_length(moved, new_gradient, is_weight)
            if new_length < _projected_length(vector, gradient, is_weight):
                return moved, new_value, new_gradient
            return None
        step *= 0.5
    return None


def _projected_length(vector, gradient, is_weight):
    """Return the length of the gradient without weights that the bound 0 holds."""
    held = is_weight & (vector <= 0) & (gradient > 0)
    return np.linalg.norm(gradient[~held])
