#!/usr/bin/env Rscript
# The model of `otss fit --method em`, fitted by the R package flexmix: flexmix_em.R LOG.csv EXPERTS
#
# LOG has columns x1…, z1…, y. A baseline shared by the experts (nested, "fixed" effects of x), expert intercepts and
# weights of z, a multinomial gate on x; one random start, flexmix's own tolerance. Prints the log-likelihood per row, the
# EM iterations and the seconds (reading not counted).
suppressPackageStartupMessages(library(flexmix))

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: flexmix_em.R LOG.csv EXPERTS")
log <- read.csv(arguments[1])
sum_of <- function(pattern) paste(grep(pattern, names(log), value = TRUE), collapse = " + ")
contexts <- as.formula(paste("~", sum_of("^x[0-9]+$")))

set.seed(1)
seconds <- system.time(
  fitted <- flexmix(
    as.formula(paste("cbind(y, 1 - y) ~", sum_of("^z[0-9]+$"))),
    data = log, k = as.integer(arguments[2]),
    model = FLXMRglmfix(family = "binomial", fixed = contexts),
    concomitant = FLXPmultinom(contexts),
    control = list(iter.max = 1000)
  )
)[["elapsed"]]
cat(sprintf("flexmix %s: log-likelihood/row %.6f, %d iterations, %.3f s\n",
            packageVersion("flexmix"), logLik(fitted) / nrow(log), fitted@iter, seconds))
