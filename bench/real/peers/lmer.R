# lme4: intercept and weights vary, without correlation, by each context column with many levels, by each combination of such
# columns, and by unit. Other context columns and their products with the factors are fixed effects.
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
suppressMessages(library(lme4))

fit_lmer <- function(train, roles) {
  factors <- paste(roles$factors, collapse = " + ")
  smooth <- setdiff(roles$context, roles$levels)
  fixed <- if (length(smooth)) sprintf("(%s) * (%s)", paste(smooth, collapse = " + "), factors) else factors
  combination <- if (length(roles$levels) > 1) paste(roles$levels, collapse = ":")
  varying <- sprintf("(1 + %s || %s)", factors, c(roles$levels, combination, if (roles$group != "") roles$group))
  model <- suppressMessages(suppressWarnings(lmer(as.formula(paste(roles$outcome, "~", paste(c(fixed, varying), collapse = " + "))), train)))
  list(predict = function(table) predict(model, table, allow.new.levels = TRUE), note = "")
}

run_peer(fit_lmer)
