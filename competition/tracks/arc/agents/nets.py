"""Small convolutional networks in numpy with float32; images have the shape (batch, rows, columns, channels)."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float32]


class Layer(Protocol):
    """A layer of a network; ``backward`` refers to the latest ``forward``."""

    parameters: list[Array]
    gradients: list[Array]

    def forward(self, x: Array) -> Array: ...

    def backward(self, slope: Array) -> Array: ...


class Dense:
    """A fully connected layer: (batch, inputs) to (batch, outputs)."""

    def __init__(self, random: np.random.Generator, inputs: int, outputs: int) -> None:
        self.weights = _initial(random, inputs, outputs)
        self.bias = np.zeros(outputs, dtype=np.float32)
        self.parameters = [self.weights, self.bias]
        self.gradients: list[Array] = []

    def forward(self, x: Array) -> Array:
        self.x = x
        return x @ self.weights + self.bias

    def backward(self, slope: Array) -> Array:
        self.gradients = [self.x.T @ slope, slope.sum(axis=0)]
        return slope @ self.weights.T


class Conv:
    """A convolution with an odd square kernel, stride 1, padded with zeros to the same size.

    The first layer of a network needs no gradient of its input; ``backward`` then returns its argument unchanged.
    """

    def __init__(
        self, random: np.random.Generator, inputs: int, outputs: int, kernel: int = 3, *, first: bool = False
    ) -> None:
        self.kernel = kernel
        self.first = first
        self.weights = _initial(random, kernel * kernel * inputs, outputs)
        self.bias = np.zeros(outputs, dtype=np.float32)
        self.parameters = [self.weights, self.bias]
        self.gradients: list[Array] = []

    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        self.patches = self._patches(x)
        return (self.patches @ self.weights + self.bias).reshape(*x.shape[:3], -1)

    def backward(self, slope: Array) -> Array:
        n, rows, columns, inputs = self.shape
        k, pad = self.kernel, self.kernel // 2
        flat = slope.reshape(-1, slope.shape[-1])
        self.gradients = [self.patches.T @ flat, flat.sum(axis=0)]
        if self.first:
            return slope
        patches = (flat @ self.weights.T).reshape(n, rows, columns, k, k, inputs)
        padded = np.zeros((n, rows + 2 * pad, columns + 2 * pad, inputs), dtype=np.float32)
        for dy in range(k):
            for dx in range(k):
                padded[:, dy : dy + rows, dx : dx + columns] += patches[:, :, :, dy, dx]
        return padded[:, pad : pad + rows, pad : pad + columns]

    def _patches(self, x: Array) -> Array:
        """The kernel-sized neighbourhood of every pixel, one per row."""
        n, rows, columns, inputs = x.shape
        k, pad = self.kernel, self.kernel // 2
        if k == 1:
            return x.reshape(-1, inputs)
        padded = np.zeros((n, rows + 2 * pad, columns + 2 * pad, inputs), dtype=np.float32)
        padded[:, pad : pad + rows, pad : pad + columns] = x
        patches = np.empty((n, rows, columns, k, k, inputs), dtype=np.float32)
        for dy in range(k):
            for dx in range(k):
                patches[:, :, :, dy, dx] = padded[:, dy : dy + rows, dx : dx + columns]
        return patches.reshape(n * rows * columns, -1)


class ReLU:
    """The rectifier max(x, 0)."""

    parameters: list[Array] = []  # noqa: RUF012 - never changed
    gradients: list[Array] = []  # noqa: RUF012

    def forward(self, x: Array) -> Array:
        self.positive = x > 0
        return x * self.positive

    def backward(self, slope: Array) -> Array:
        return slope * self.positive


class Sequence:
    """A chain of layers."""

    def __init__(self, *layers: Layer) -> None:
        self.layers = layers

    @property
    def parameters(self) -> list[Array]:
        return [parameter for layer in self.layers for parameter in layer.parameters]

    @property
    def gradients(self) -> list[Array]:
        """The gradients of the latest ``backward``."""
        return [gradient for layer in self.layers for gradient in layer.gradients]

    def forward(self, x: Array) -> Array:
        for layer in self.layers:
            x = layer.forward(x)
        return x

    def backward(self, slope: Array) -> Array:
        for layer in reversed(self.layers):
            slope = layer.backward(slope)
        return slope


class GlobalPool:
    """Mean and maximum of each channel over the whole image: (n, rows, columns, c) to (n, 2c)."""

    parameters: list[Array] = []  # noqa: RUF012
    gradients: list[Array] = []  # noqa: RUF012

    def forward(self, x: Array) -> Array:
        self.shape = x.shape
        flat = x.reshape(x.shape[0], -1, x.shape[-1])
        self.where = flat.argmax(axis=1)
        return np.concatenate([flat.mean(axis=1), flat.max(axis=1)], axis=1)

    def backward(self, slope: Array) -> Array:
        n, rows, columns, channels = self.shape
        mean, largest = slope[:, :channels], slope[:, channels:]
        flat = np.repeat(mean[:, None] / np.float32(rows * columns), rows * columns, axis=1)
        flat[np.arange(n)[:, None], self.where, np.arange(channels)] += largest
        return flat.reshape(self.shape)


class Adam:
    """The optimiser of Kingma and Ba (2015), with its usual constants."""

    def __init__(self, parameters: list[Array], rate: float = 1e-4) -> None:
        self.parameters = parameters
        self.rate = rate
        self.steps = 0
        self.means = [np.zeros_like(parameter) for parameter in parameters]
        self.squares = [np.zeros_like(parameter) for parameter in parameters]

    def step(self, gradients: list[Array]) -> None:
        self.steps += 1
        rate = self.rate * np.sqrt(1 - 0.999**self.steps) / (1 - 0.9**self.steps)
        for parameter, gradient, mean, square in zip(self.parameters, gradients, self.means, self.squares, strict=True):
            mean += 0.1 * (gradient - mean)
            square += 0.001 * (gradient * gradient - square)
            parameter -= (rate * mean / (np.sqrt(square) + 1e-8)).astype(np.float32)


def sigmoid(x: Array) -> Array:
    """The logistic function."""
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -30, 30))), dtype=np.float32)


def _initial(random: np.random.Generator, inputs: int, outputs: int) -> Array:
    """Uniform weights within 1 / sqrt(inputs), PyTorch's default for its layers."""
    limit = 1 / np.sqrt(inputs)
    return random.uniform(-limit, limit, (inputs, outputs)).astype(np.float32)
