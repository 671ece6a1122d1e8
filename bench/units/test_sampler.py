"""The sampler on a problem so small that its posterior can be computed by quadrature: six units, an intercept that deviates."""
import unittest

import numpy

import sampler

OUTCOMES = [[1, 1, 1, 0], [0, 0, 0], [1, 0], [1, 1, 1, 1, 1], [0, 0, 1, 0], [0]]


def posterior_by_quadrature():
    """The posterior means of theta, of log(sigma²) and of the first unit's deviation."""
    node, weight = numpy.polynomial.hermite_e.hermegauss(80)
    weight = weight / weight.sum()
    theta = numpy.linspace(-16, 16, 401)
    log_variance = numpy.linspace(-9, 9, 361)
    freedom = 1 + sampler.PRIOR_UNITS_BEYOND_SIZE
    scale = sampler.PRIOR_VARIANCE * (freedom - 2)
    log_density = numpy.empty((len(theta), len(log_variance)))
    first = numpy.empty_like(log_density)
    for i, centre in enumerate(theta):
        deviation = numpy.exp(log_variance / 2)[:, None] * node
        eta = centre + deviation
        total = -0.5 * (centre / sampler.THETA_DEVIATION)**2
        # Inverse gamma, in the logarithm of the variance.
        total = total - freedom / 2 * log_variance - scale / (2 * numpy.exp(log_variance))
        for number, outcomes in enumerate(OUTCOMES):
            likelihood = numpy.exp(sum(sampler.log_likelihoods(eta, y) for y in outcomes))
            total = total + numpy.log(likelihood @ weight)
            if number == 0:
                first[i] = (likelihood * deviation) @ weight / (likelihood @ weight)
        log_density[i] = total
    density = numpy.exp(log_density - log_density.max())
    density /= density.sum()
    return numpy.array([density.sum(axis=1) @ theta, density.sum(axis=0) @ log_variance, (density * first).sum()])


class Sampler(unittest.TestCase):
    def test_its_means_are_those_of_quadrature(self):
        outcome = numpy.concatenate([numpy.array(y, float) for y in OUTCOMES])
        unit = numpy.repeat(numpy.arange(len(OUTCOMES)), [len(y) for y in OUTCOMES])
        chain = sampler.Chain(numpy.ones((len(outcome), 1)), outcome, unit, [0], seed=3)
        draws, = sampler.run([chain], 1_500, 13_500,
                             keep=lambda chain: [chain.theta[0], numpy.log(chain.sigma[0, 0]), chain.deviation[0, 0]])
        for expected, series in zip(posterior_by_quadrature(), draws.T):
            error = series.std() / numpy.sqrt(sampler.effective_size(series))
            self.assertLess(error, 0.2)
            self.assertLess(abs(series.mean() - expected), 4 * error)


if __name__ == "__main__":
    unittest.main()
