# flexmix: a mixture of generalised linear models of the factors, whose shares depend on the context (concomitant variables); BIC
# chooses the number of segments, and a mean outcome is the average over segments. The fourth argument says whose segment is
# drawn: that of each row (row), or one for all rows of a unit (unit).
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
suppressMessages(library(flexmix))

MOST_SEGMENTS <- 6
NUM_STARTS <- 2

mixture_formula <- function(roles, of_unit) {
  outcome <- if (roles$family == "bernoulli") sprintf("cbind(%s, 1 - %s)", roles$outcome, roles$outcome) else roles$outcome
  as.formula(paste(outcome, "~", paste(roles$factors, collapse = " + "), if (of_unit) "| unit"))
}

fit_segments <- function(train, roles, of_unit, number) {
  set.seed(1)
  concomitant <- if (number > 1) FLXPmultinom(reformulate(roles$context)) else FLXPconstant()
  initFlexmix(mixture_formula(roles, of_unit), data = train, k = number, nrep = NUM_STARTS, verbose = FALSE,
              model = FLXMRglm(family = r_family(roles)), concomitant = concomitant, control = list(iter.max = 200))
}

# Segments are added until BIC rises twice in succession.
choose_segments <- function(train, roles, of_unit) {
  best <- NULL
  rises <- 0
  for (number in seq_len(MOST_SEGMENTS)) {
    model <- tryCatch(fit_segments(train, roles, of_unit, number), error = function(e) NULL)
    better <- !is.null(model) && (is.null(best) || BIC(model) < BIC(best))
    if (better) best <- model
    rises <- if (better) 0 else rises + 1
    if (rises == 2) break
  }
  best
}

shares_of <- function(model, table, roles) {
  if (model@k == 1) return(matrix(1, nrow(table), 1))
  scores <- model.matrix(reformulate(roles$context), table) %*% model@concomitant@coef
  shares <- exp(scores - apply(scores, 1, max))
  shares / rowSums(shares)
}

fit_flexmix <- function(train, roles) {
  of_unit <- commandArgs(trailingOnly = TRUE)[4] == "unit"
  model <- choose_segments(train, roles, of_unit)
  weights <- rbind(parameters(model))[seq_len(length(roles$factors) + 1), , drop = FALSE]
  weights[is.na(weights)] <- 0
  list(predict = function(table) {
         means <- inverse_link(roles)(cbind(1, as.matrix(table[roles$factors])) %*% weights)
         rowSums(shares_of(model, table, roles) * means)
       },
       note = sprintf("%d segments", model@k))
}

run_peer(fit_flexmix)
