#!/usr/bin/env Rscript
# Prints the log-likelihood flexmix finds on small_log.csv as one JSON object: flexmix.R small_log.csv
#
# The model is that of `otss fit --method em` without penalties: a baseline shared by the experts (nested, "fixed"
# effects of x), expert intercepts and weights of z, a multinomial gate on x. The best of ten starts, run until EM gains
# nothing more.
suppressPackageStartupMessages(library(flexmix))

log <- read.csv(commandArgs(trailingOnly = TRUE)[1])
set.seed(1)
best <- NULL
for (start in 1:10) {
  fitted <- flexmix(
    cbind(y, 1 - y) ~ z1 + z2 + z3, data = log, k = 2,
    model = FLXMRglmfix(family = "binomial", fixed = ~ x1 + x2),
    concomitant = FLXPmultinom(~ x1 + x2),
    control = list(iter.max = 5000, tolerance = 1e-12, minprior = 0)
  )
  if (is.null(best) || logLik(fitted) > logLik(best)) best <- fitted
}
cat(sprintf('{"software": "flexmix %s", "experts": 2, "log_likelihood": %.10f}\n',
            packageVersion("flexmix"), logLik(best)))
