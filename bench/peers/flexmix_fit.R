#!/usr/bin/env Rscript
# A mixture of logistic regressions with a multinomial gate, fitted by the R package flexmix:
# flexmix_fit.R LOG.csv EXPERTS
#
# LOG has columns x1…, z1…, y, as `otss simulate` writes them. Prints the log-likelihood per row, the EM iterations and
# the seconds (reading not counted).
suppressPackageStartupMessages(library(flexmix))

arguments <- commandArgs(trailingOnly = TRUE)
if (length(arguments) != 2) stop("usage: flexmix_fit.R LOG.csv EXPERTS")
log <- read.csv(arguments[1])
contexts <- grep("^x[0-9]+$", names(log), value = TRUE)
factors <- grep("^z[0-9]+$", names(log), value = TRUE)

set.seed(1)
seconds <- system.time(
  fitted <- flexmix(
    as.formula(paste("cbind(y, 1 - y) ~", paste(factors, collapse = " + "))),
    data = log, k = as.integer(arguments[2]),
    model = FLXMRglm(family = "binomial"),
    concomitant = FLXPmultinom(as.formula(paste("~", paste(contexts, collapse = " + "))))
  )
)[["elapsed"]]
cat(sprintf("flexmix %s: log-likelihood/row %.6f, %d iterations, %.3f s\n",
            packageVersion("flexmix"), logLik(fitted) / nrow(log), fitted@iter, seconds))
