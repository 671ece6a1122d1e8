# bayesm: a hierarchical logit. The weights of a person are normal around a linear function of the context; the prediction for a new
# person is the average over draws of such persons. Factors are divided by their standard deviation, because the prior is the
# same for all of them. The fourth argument is the number of draws.
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
suppressMessages(library(bayesm))

KEEP <- 10         # every KEEPth draw is kept
BURN_IN <- 0.25    # share of the kept draws that is thrown away

# The first alternative has the factors, the second has zeros; an intercept favours the first.
choices_of <- function(rows, factors_of, roles) {
  first <- factors_of(rows)
  alternatives <- matrix(0, 2 * nrow(first), ncol(first))
  alternatives[seq(1, nrow(alternatives), 2), ] <- first
  list(y = 2 - rows[[roles$outcome]], X = alternatives)
}

# Mean probability of each row over draws of its unit's weights; one draw of a unit per kept draw of the posterior.
average_over_people <- function(draws, kept, factors, context, unit) {
  total <- numeric(nrow(factors))
  people <- context[!duplicated(unit), , drop = FALSE]
  person <- match(unit, unique(unit))
  for (draw in kept) {
    component <- draws$nmix$compdraw[[draw]][[1]]
    root <- backsolve(component$rooti, diag(length(component$mu)))  # Sigma = root' root
    noise <- matrix(rnorm(nrow(people) * length(component$mu)), nrow(people)) %*% root
    delta <- matrix(draws$Deltadraw[draw, ], ncol = ncol(people))
    weights <- sweep(people %*% t(delta) + noise, 2, component$mu, "+")
    total <- total + plogis(rowSums(factors * weights[person, , drop = FALSE]))
  }
  total / length(kept)
}

fit_bayesm <- function(train, roles) {
  num_draws <- as.integer(commandArgs(trailingOnly = TRUE)[4])
  set.seed(1)
  encode <- context_encoder(train, roles$context)
  people <- encode(train[!duplicated(train$unit), ])
  deviations <- apply(train[roles$factors], 2, sd)
  factors_of <- function(table) cbind(1, sweep(as.matrix(table[roles$factors]), 2, deviations, "/"))
  center <- colMeans(people)
  spread <- apply(people, 2, sd)
  lgtdata <- lapply(split(train, factor(train$unit, unique(train$unit))), choices_of, factors_of = factors_of, roles = roles)
  sink(nullfile())
  draws <- rhierMnlRwMixture(Data = list(p = 2, lgtdata = unname(lgtdata), Z = scale(people, center, spread)), Prior = list(ncomp = 1),
                             Mcmc = list(R = num_draws, keep = KEEP, nprint = 0))
  sink()
  num_kept <- num_draws / KEEP
  kept <- seq(ceiling(BURN_IN * num_kept) + 1, num_kept)
  list(predict = function(table) average_over_people(draws, kept, factors_of(table),
                                                     scale(encode(table), center, spread), table$unit),
       note = sprintf("%d draws", num_draws))
}

run_peer(fit_bayesm)
