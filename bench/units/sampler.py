"""A long Markov chain for a logistic regression with personal deviations: the reference for the covariance of `otss fit --unit`.

    logit P(y = 1) = theta'g + deviation_i'q,    deviation_i = L e_i,    e_i ~ N(0, I),    Sigma = L L'

g are the columns that all units share, q those that deviate: the intercept and the factors. Sigma has an inverse-Wishart prior of
little weight, theta a wide normal one. One sweep of the chain:
1. Hamiltonian Monte Carlo for the deviations. Units are independent given theta and Sigma, so each unit accepts by itself.
2. Hamiltonian Monte Carlo for theta and L together, given e: a logistic regression, since the predictor is linear in the entries of L.
3. The coefficients of q in theta again, given the sum of theta and deviations, which is exact (the outcomes do not matter).
4. Sigma from its inverse-Wishart distribution, given the deviations.
Steps 2 and 4 interweave two parametrisations (Yu and Meng 2011). With step 4 alone, Sigma can only follow what the deviations already
are, and a dozen outcomes of a unit say little about them: the chain then needs thousands of sweeps for one independent draw.
"""
import time

import numpy

PRIOR_UNITS_BEYOND_SIZE = 2   # degrees of freedom of the prior of Sigma, minus the size of Sigma
PRIOR_VARIANCE = 0.25         # the mean of the prior of Sigma, on its diagonal
THETA_DEVIATION = 10.0
LEAPFROG_STEPS = 8
SCALE_STEPS = 6               # leapfrog steps for theta and L
LEARN_MASS_EVERY = 10         # sweeps of the warm-up between two looks at the curvature in theta and L


def sigmoid(eta):
    return 0.5 * (1 + numpy.tanh(0.5 * eta))


def log_likelihoods(eta, outcome):
    return outcome * eta - numpy.logaddexp(0, eta)


class Chain:
    """`deviating` are the columns of `shared` that deviate, in the order of Sigma. Rows are sorted by unit."""

    def __init__(self, shared, outcome, unit, deviating, seed):
        order = numpy.argsort(unit, kind="stable")
        self.shared, self.outcome = shared[order], outcome[order]
        _, self.unit = numpy.unique(unit[order], return_inverse=True)
        self.starts = numpy.flatnonzero(numpy.diff(self.unit, prepend=-1))
        self.num_rows = numpy.bincount(self.unit)
        self.deviating = numpy.asarray(deviating)
        self.own = numpy.ascontiguousarray(self.shared[:, self.deviating])
        # Gradients are computed from copies of lower precision, which takes half the time. The chain stays exact: a proposal is
        # judged by its energy, and the leapfrog steps are reversible for any function that is used as the gradient.
        self.fast_own, self.fast_shared = self.own.astype(numpy.float32), self.shared.astype(numpy.float32)
        self.fast_outcome = self.outcome.astype(numpy.float32)
        self.outer = self.unit_sums(numpy.einsum("rj,rk->rjk", self.own, self.own))
        self.random = numpy.random.default_rng(seed)
        size, self.num_units = len(self.deviating), len(self.starts)
        self.theta = numpy.zeros(self.shared.shape[1])
        self.sigma = PRIOR_VARIANCE * numpy.eye(size)
        self.deviation = numpy.zeros((self.num_units, size))
        self.step, self.scale_step = 0.5, 0.5
        self.lower = numpy.tril_indices(size)  # the entries of L
        self.mass, self.looks = None, 0
        self.accepted, self.scale_accepted = [], []

    def unit_sums(self, values):
        return numpy.add.reduceat(values, self.starts, axis=0)

    def predictor(self, theta, deviation):
        return self.shared @ theta + numpy.einsum("rj,rj->r", self.own, numpy.repeat(deviation, self.num_rows, axis=0))

    def residual(self, offset, deviation):
        """The outcomes minus their probabilities, in lower precision; `offset` is the part of the predictor that all units share."""
        of_rows = numpy.repeat(deviation.astype(numpy.float32), self.num_rows, axis=0)
        return self.fast_outcome - sigmoid(offset + numpy.einsum("rj,rj->r", self.fast_own, of_rows))

    def own_slope(self, residual):
        """The gradient of each unit's log-likelihood with respect to its deviation."""
        return self.unit_sums(residual[:, None] * self.fast_own).astype(float)

    def sweep(self, adapt=False):
        self.move_deviations(adapt)
        self.move_scale(adapt)
        self.move_centre()
        self.draw_sigma()

    def move_deviations(self, adapt):
        precision = numpy.linalg.inv(self.sigma)
        offset = (self.shared @ self.theta).astype(numpy.float32)
        # The mass of a unit is its precision at a curvature of 0.2 per row, which scales its coordinates alike.
        mass = precision + 0.2 * self.outer
        root, inverse = numpy.linalg.cholesky(mass), numpy.linalg.inv(mass)

        def energy(position):
            rows = log_likelihoods(self.predictor(self.theta, position), self.outcome)
            return 0.5 * numpy.einsum("ij,jk,ik->i", position, precision, position) - self.unit_sums(rows)

        def gradient(position):
            return position @ precision - self.own_slope(self.residual(offset, position))

        noise = self.random.standard_normal(self.deviation.shape)
        momentum = numpy.einsum("ijk,ik->ij", root, noise)
        position = self.deviation.copy()
        before = energy(position) + 0.5 * (noise**2).sum(axis=1)
        length = self.step * self.random.uniform(0.8, 1.2)
        momentum -= 0.5 * length * gradient(position)
        for i in range(LEAPFROG_STEPS):
            position += length * numpy.einsum("ijk,ik->ij", inverse, momentum)
            momentum -= (0.5 if i + 1 == LEAPFROG_STEPS else 1.0) * length * gradient(position)
        kinetic = 0.5 * numpy.einsum("ij,ijk,ik->i", momentum, inverse, momentum)
        accepted = numpy.log(self.random.random(self.num_units)) < before - energy(position) - kinetic
        self.deviation[accepted] = position[accepted]
        self.accepted.append(accepted.mean())
        if adapt:
            self.step = min(1.0, self.step * numpy.exp(0.1 * (accepted.mean() - 0.8)))

    def prior_of_sigma(self):
        """Degrees of freedom and scale of the inverse-Wishart distribution, whose mean is scale / (freedom - size - 1)."""
        size = len(self.deviating)
        freedom = size + PRIOR_UNITS_BEYOND_SIZE
        return freedom, PRIOR_VARIANCE * (freedom - size - 1) * numpy.eye(size)

    def scale_prior(self, parameters):
        """Minus the log prior of (theta, L), and its gradient. The density of L has the Jacobian of Sigma = L L'."""
        size, shared = len(self.deviating), self.shared.shape[1]
        theta, root = parameters[:shared], numpy.zeros((size, size))
        root[self.lower] = parameters[shared:]
        freedom, scale = self.prior_of_sigma()
        power = (size - numpy.arange(size)) - (freedom + size + 1)
        inverse = numpy.linalg.inv(root)
        spread = inverse.T @ inverse @ scale @ inverse.T  # Sigma^-1 scale Sigma^-1 L
        log_density = power @ numpy.log(numpy.abs(numpy.diag(root))) - 0.5 * numpy.trace(inverse @ scale @ inverse.T)
        slope = spread + numpy.diag(power / numpy.diag(root))
        return (0.5 * (theta @ theta) / THETA_DEVIATION**2 - log_density,
                numpy.concatenate([theta / THETA_DEVIATION**2, -slope[self.lower]]))

    def move_scale(self, adapt):
        root = numpy.linalg.cholesky(self.sigma)
        coordinates = numpy.linalg.solve(root, self.deviation.T).T
        shared = self.shared.shape[1]
        position = numpy.concatenate([self.theta, root[self.lower]])

        def deviation(parameters):
            root = numpy.zeros((len(self.deviating),) * 2)
            root[self.lower] = parameters[shared:]
            return coordinates @ root.T

        def energy(parameters):
            eta = self.predictor(parameters[:shared], deviation(parameters))
            return self.scale_prior(parameters)[0] - log_likelihoods(eta, self.outcome).sum()

        def gradient(parameters):
            residual = self.residual(self.fast_shared @ parameters[:shared].astype(numpy.float32), deviation(parameters))
            slope = numpy.concatenate([self.fast_shared.T @ residual, (self.own_slope(residual).T @ coordinates)[self.lower]])
            return self.scale_prior(parameters)[1] - slope

        if adapt and (self.mass is None or len(self.accepted) % LEARN_MASS_EVERY == 0):
            self.learn_mass(coordinates, self.predictor(self.theta, self.deviation))
        mass_root = numpy.linalg.cholesky(self.mass)
        inverse = numpy.linalg.inv(self.mass)
        noise = self.random.standard_normal(len(position))
        before = energy(position) + 0.5 * noise @ noise
        length = self.scale_step * self.random.uniform(0.8, 1.2)
        momentum = mass_root @ noise - 0.5 * length * gradient(position)
        proposal = position
        for i in range(SCALE_STEPS):
            proposal = proposal + length * (inverse @ momentum)
            momentum = momentum - (0.5 if i + 1 == SCALE_STEPS else 1.0) * length * gradient(proposal)
        accepted = numpy.log(self.random.random()) < before - energy(proposal) - 0.5 * momentum @ inverse @ momentum
        self.scale_accepted.append(accepted)
        if adapt:
            self.scale_step = min(1.0, self.scale_step * numpy.exp(0.1 * (float(accepted) - 0.8)))
        if accepted:
            self.theta, root = proposal[:shared], numpy.zeros_like(root)
            root[self.lower] = proposal[shared:]
            self.sigma, self.deviation = root @ root.T, coordinates @ root.T

    def learn_mass(self, coordinates, eta):
        """Averages the curvature over the warm-up; afterwards it stays as it is."""
        of_rows = numpy.repeat(coordinates, self.num_rows, axis=0)
        design = numpy.hstack([self.shared, self.own[:, self.lower[0]] * of_rows[:, self.lower[1]]])
        probability = sigmoid(eta)
        curvature = (design * (probability * (1 - probability))[:, None]).T @ design
        curvature[numpy.diag_indices(len(curvature))] += 1
        self.looks += 1
        self.mass = curvature if self.mass is None else self.mass + (curvature - self.mass) / min(self.looks, 20)

    def move_centre(self):
        total = self.theta[self.deviating] + self.deviation
        precision = self.num_units * numpy.linalg.inv(self.sigma) + numpy.eye(len(self.deviating)) / THETA_DEVIATION**2
        mean = numpy.linalg.solve(precision, numpy.linalg.solve(self.sigma, total.sum(axis=0)))
        root = numpy.linalg.cholesky(precision)
        centre = mean + numpy.linalg.solve(root.T, self.random.standard_normal(len(mean)))
        self.theta[self.deviating] = centre
        self.deviation = total - centre

    def draw_sigma(self):
        size = len(self.deviating)
        freedom, scale = self.prior_of_sigma()
        scale = scale + self.deviation.T @ self.deviation
        root = numpy.linalg.cholesky(numpy.linalg.inv(scale))
        lower = numpy.tril(self.random.standard_normal((size, size)), -1)
        for i in range(size):
            lower[i, i] = numpy.sqrt(self.random.chisquare(freedom + self.num_units - i))
        wishart = root @ lower
        self.sigma = numpy.linalg.inv(wishart @ wishart.T)


def run(chains, warm_up, sweeps, seconds=float("inf"), keep=lambda chain: chain.sigma.copy()):
    """Runs chains side by side: `warm_up` sweeps, then `sweeps` more, or fewer if `seconds` have passed before.

    Returns what `keep` took of each sweep after the warm-up: one array per chain."""
    end = time.monotonic() + seconds
    kept = [[] for _ in chains]
    for i in range(warm_up + sweeps):
        if time.monotonic() > end:
            break
        for chain, of_chain in zip(chains, kept):
            chain.sweep(adapt=i < warm_up)
            if i >= warm_up:
                of_chain.append(keep(chain))
    return [numpy.array(of_chain) for of_chain in kept]


def effective_size(values):
    """The effective number of independent draws in a series, by Geyer's initial positive sequence."""
    centred = values - values.mean()
    count = len(values)
    spectrum = numpy.fft.rfft(centred, 2 * count)
    correlation = numpy.fft.irfft(spectrum * spectrum.conj())[:count]
    correlation /= correlation[0]
    pairs = correlation[0:count - 1:2] + correlation[1:count:2]
    stop = numpy.argmax(pairs < 0) if (pairs < 0).any() else len(pairs)
    return count / (2 * pairs[:stop].sum() - 1)


def rhat(chains):
    """The potential scale reduction of several series of the same length, each cut in two halves (Gelman and others 2013)."""
    half = len(chains[0]) // 2
    pieces = numpy.array([piece for chain in chains for piece in (chain[:half], chain[half:2 * half])])
    within = pieces.var(axis=1, ddof=1).mean()
    between = half * pieces.mean(axis=1).var(ddof=1)
    return float(numpy.sqrt((within * (half - 1) / half + between / half) / within))
