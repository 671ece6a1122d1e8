# Generalised linear models without a penalty, on context and factors. The arguments from the fourth on say what else they get:
# pairs (products of two factors), squares (of factors) and logs (of 1 + factor) are further factors, products are those of
# each context column with each factor.
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

derived_factors <- list(
  pairs = function(factors) {
    pairs <- combn(colnames(factors), 2)
    products <- factors[, pairs[1, ]] * factors[, pairs[2, ]]
    colnames(products) <- paste(pairs[1, ], pairs[2, ], sep = "*")
    products
  },
  squares = function(factors) {
    colnames(factors) <- paste0(colnames(factors), "^2")
    factors^2
  },
  logs = function(factors) {
    colnames(factors) <- paste0("log_1_plus_", colnames(factors))
    log1p(factors)
  })

fit_glm <- function(train, roles) {
  wanted <- commandArgs(trailingOnly = TRUE)[-(1:3)]
  derive <- function(table) {
    factors <- as.matrix(table[roles$factors])
    do.call(cbind, c(list(factors), lapply(derived_factors[intersect(wanted, names(derived_factors))], function(f) f(factors))))
  }
  extended <- roles
  extended$factors <- colnames(derive(train))
  with_derived <- function(table) cbind(table[roles$context], derive(table))
  design <- design_of(with_derived(train), extended, products = "products" %in% wanted)
  model <- suppressWarnings(glm.fit(cbind(1, design(with_derived(train))), train[[roles$outcome]], family = get(r_family(roles))()))
  weights <- ifelse(is.na(model$coefficients), 0, model$coefficients)
  list(predict = function(table) inverse_link(roles)(drop(cbind(1, design(with_derived(table))) %*% weights)),
       note = sprintf("%d weights", length(weights)))
}

run_peer(fit_glm)
