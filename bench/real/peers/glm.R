# Generalised linear models without a penalty. The fourth argument says with which columns beside context and factors:
# products (of context and factors), pairs (of factors), squares (of factors), logs (of 1 + factor), or none of these.
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))

pairs_of <- function(factors) {
  pairs <- combn(colnames(factors), 2)
  factors[, pairs[1, ]] * factors[, pairs[2, ]]
}

derived_columns <- list(pairs = pairs_of, squares = function(factors) factors^2, logs = function(factors) log1p(factors))

fit_glm <- function(train, roles) {
  columns <- commandArgs(trailingOnly = TRUE)[4]
  derive <- if (columns %in% names(derived_columns)) derived_columns[[columns]] else function(factors) NULL
  design <- design_of(train, roles, products = columns == "products", derive = derive)
  model <- suppressWarnings(glm.fit(cbind(1, design(train)), train[[roles$outcome]], family = get(r_family(roles))()))
  weights <- ifelse(is.na(model$coefficients), 0, model$coefficients)
  list(predict = function(table) inverse_link(roles)(drop(cbind(1, design(table)) %*% weights)),
       note = sprintf("%d weights", length(weights)))
}

run_peer(fit_glm)
