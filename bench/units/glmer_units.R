# lme4 on a small panel. Usage: Rscript glmer_units.R LOG. Prints the fixed effects of z1, z2 and the covariance of (intercept, z1, z2)
# as JSON.
suppressMessages(library(lme4))
log <- read.csv(commandArgs(trailingOnly = TRUE)[1])
model <- glmer(y ~ x1 + z1 + z2 + (1 + z1 + z2 | unit), data = log, family = binomial)
covariance <- VarCorr(model)$unit
cat(sprintf('{"weights": [%s], "covariance": [%s]}\n', toString(fixef(model)[c("z1", "z2")]),
            toString(apply(unname(covariance[1:3, 1:3]), 1, function(row) sprintf("[%s]", toString(row))))))
