"""A long Markov chain for a logistic regression with personal deviations: the reference for the covariance of `otss fit --unit`.

    logit P(y = 1) = theta'g + deviation_i'q,    deviation_i ~ N(0, Sigma)

g are the columns that all units share, q those that deviate: the intercept and the factors. Sigma has an inverse-Wishart prior of
little weight, theta a wide normal one. One sweep of the chain:
1. Hamiltonian Monte Carlo for the deviations. Units are independent given theta and Sigma, so each unit accepts by itself.
2. theta by an independent Metropolis step: a t distribution at the mode, given the deviations.
3. The coefficients of q in theta again, given the sum of theta and deviations, which is exact (the outcomes do not matter).
4. Sigma from its inverse-Wishart distribution, given the deviations.
"""
import numpy

PRIOR_UNITS_BEYOND_SIZE = 2   # degrees of freedom of the prior of Sigma, minus the size of Sigma
PRIOR_VARIANCE = 0.25         # the mean of the prior of Sigma, on its diagonal
THETA_DEVIATION = 10.0
LEAPFROG_STEPS = 8
T_FREEDOM = 6


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
        self.deviating = numpy.asarray(deviating)
        self.own = self.shared[:, self.deviating]
        self.random = numpy.random.default_rng(seed)
        size, self.num_units = len(self.deviating), len(self.starts)
        self.theta = numpy.zeros(self.shared.shape[1])
        self.sigma = PRIOR_VARIANCE * numpy.eye(size)
        self.deviation = numpy.zeros((self.num_units, size))
        self.step = 0.5
        self.accepted = []

    def unit_sums(self, values):
        return numpy.add.reduceat(values, self.starts, axis=0)

    def own_predictor(self, deviation):
        return numpy.einsum("rj,rj->r", self.own, deviation[self.unit])

    def sweep(self, adapt=False):
        self.move_deviations(adapt)
        self.move_theta()
        self.move_centre()
        self.draw_sigma()

    def move_deviations(self, adapt):
        precision = numpy.linalg.inv(self.sigma)
        offset = self.shared @ self.theta
        # The mass of a unit is its precision at a curvature of 0.2 per row, which scales its coordinates alike.
        mass = precision + 0.2 * self.unit_sums(numpy.einsum("rj,rk->rjk", self.own, self.own))
        root, inverse = numpy.linalg.cholesky(mass), numpy.linalg.inv(mass)

        def energy(position):
            rows = log_likelihoods(offset + self.own_predictor(position), self.outcome)
            return 0.5 * numpy.einsum("ij,jk,ik->i", position, precision, position) - self.unit_sums(rows)

        def gradient(position):
            residual = self.outcome - sigmoid(offset + self.own_predictor(position))
            return position @ precision - self.unit_sums(residual[:, None] * self.own)

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

    def move_theta(self):
        offset = self.own_predictor(self.deviation)
        prior = numpy.eye(len(self.theta)) / THETA_DEVIATION**2

        def log_density(theta):
            return log_likelihoods(offset + self.shared @ theta, self.outcome).sum() - 0.5 * theta @ prior @ theta

        mode = self.theta.copy()
        for _ in range(20):
            probability = sigmoid(offset + self.shared @ mode)
            curvature = prior + (self.shared * (probability * (1 - probability))[:, None]).T @ self.shared
            move = numpy.linalg.solve(curvature, self.shared.T @ (self.outcome - probability) - prior @ mode)
            mode += move
            if numpy.abs(move).max() < 1e-8:
                break
        root = numpy.linalg.cholesky(curvature)
        size = len(mode)

        def log_proposal(theta):
            distance = ((root.T @ (theta - mode))**2).sum()
            return -0.5 * (T_FREEDOM + size) * numpy.log1p(distance / T_FREEDOM)

        spread = self.random.standard_normal(size) / numpy.sqrt(self.random.chisquare(T_FREEDOM) / T_FREEDOM)
        proposal = mode + numpy.linalg.solve(root.T, spread)
        change = log_density(proposal) - log_density(self.theta) + log_proposal(self.theta) - log_proposal(proposal)
        if numpy.log(self.random.random()) < change:
            self.theta = proposal

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
        freedom = size + PRIOR_UNITS_BEYOND_SIZE
        # The mean of an inverse-Wishart distribution is scale / (freedom - size - 1).
        scale = PRIOR_VARIANCE * (freedom - size - 1) * numpy.eye(size) + self.deviation.T @ self.deviation
        root = numpy.linalg.cholesky(numpy.linalg.inv(scale))
        lower = numpy.tril(self.random.standard_normal((size, size)), -1)
        for i in range(size):
            lower[i, i] = numpy.sqrt(self.random.chisquare(freedom + self.num_units - i))
        wishart = root @ lower
        self.sigma = numpy.linalg.inv(wishart @ wishart.T)


def run(shared, outcome, unit, deviating, sweeps, seed=1, warm_up=0.25, keep=lambda chain: chain.sigma.copy()):
    """Runs a chain; returns what `keep` took of each sweep after the warm-up, and the chain."""
    chain = Chain(shared, outcome, unit, deviating, seed)
    kept = []
    for i in range(sweeps):
        warming = i < warm_up * sweeps
        chain.sweep(adapt=warming)
        if not warming:
            kept.append(keep(chain))
    return numpy.array(kept), chain


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
