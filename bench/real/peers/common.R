# What all peers in R share: the roles of the columns, the design matrix, folds that keep units together, the loss.
here <- dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE)))

words <- function(text) strsplit(text, " ", fixed = TRUE)[[1]]

read_roles <- function(set) {
  sets <- read.csv(file.path(here, "..", "sets.csv"), colClasses = "character")
  row <- sets[sets$set == set, ]
  list(set = set, family = row$family, outcome = row$outcome, group = row$group, context = words(row$context),
       factors = words(row$factors), levels = words(row$levels))
}

# A function of a table that gives the columns of its context as numbers. Text becomes an indicator of each level of the
# training rows but the first; a level that they do not have has no indicator.
context_encoder <- function(train, columns) {
  known <- lapply(train[columns], function(column) if (is.character(column)) sort(unique(column)))
  function(table) {
    encoded <- lapply(columns, function(name) {
      if (is.null(known[[name]])) return(matrix(as.numeric(table[[name]]), dimnames = list(NULL, name)))
      levels <- known[[name]][-1]
      matrix(outer(table[[name]], levels, "==") + 0, ncol = length(levels), dimnames = list(NULL, paste0(name, levels)))
    })
    do.call(cbind, encoded)
  }
}

all_products <- function(left, right) {
  products <- lapply(colnames(right), function(name) {
    product <- left * right[, name]
    colnames(product) <- paste(colnames(left), name, sep = ":")
    product
  })
  do.call(cbind, products)
}

# A function of a table that gives its design matrix: context, factors, and, if wanted, the products of each context
# column with each factor.
design_of <- function(train, roles, products = FALSE) {
  encode <- context_encoder(train, roles$context)
  function(table) {
    context <- encode(table)
    factors <- as.matrix(table[roles$factors])
    cbind(context, factors, if (products) all_products(context, factors))
  }
}

# Fold 1 to `number` of each row; the rows of a unit are in the same fold.
unit_folds <- function(units, number = 5) {
  set.seed(1)
  distinct <- unique(units)
  sample(rep_len(seq_len(number), length(distinct)))[match(units, distinct)]
}

r_family <- function(roles) switch(roles$family, bernoulli = "binomial", roles$family)

inverse_link <- function(roles) switch(roles$family, bernoulli = plogis, poisson = exp, gaussian = identity)

# Mean log-loss of 0 or 1, mean deviance of counts, mean squared error of numbers.
loss <- function(roles, outcome, mean) {
  switch(roles$family,
         bernoulli = -mean(ifelse(outcome == 1, log(mean), log1p(-mean))),
         poisson = mean(2 * (ifelse(outcome > 0, outcome * log(outcome / mean), 0) - (outcome - mean))),
         gaussian = mean((outcome - mean)^2))
}

# Fits a peer to the training rows and prints its loss on the test rows, and the processor time of its fit in seconds, as JSON.
# `fit(train, roles)` returns a list of `predict`, a function of a table that gives the mean outcome of its rows, and
# `note`, words about what was chosen.
run_peer <- function(fit) {
  arguments <- commandArgs(trailingOnly = TRUE)
  roles <- read_roles(arguments[1])
  train <- read.csv(arguments[2])
  test <- read.csv(arguments[3])
  seconds <- sum(system.time(peer <- fit(train, roles))[c("user.self", "sys.self")])
  cat(sprintf('{"loss": %.10g, "seconds": %.3f, "note": "%s"}\n', loss(roles, test[[roles$outcome]], peer$predict(test)), seconds,
              peer$note))
}
