# glmnet on context, factors and the products of each context column with each factor. The fourth argument is ridge or lasso; folds
# that keep units together choose the penalty.
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
suppressMessages(library(glmnet))

fit_glmnet <- function(train, roles) {
  penalty <- commandArgs(trailingOnly = TRUE)[4]
  design <- design_of(train, roles, products = TRUE)
  model <- cv.glmnet(design(train), train[[roles$outcome]], family = r_family(roles), alpha = if (penalty == "lasso") 1 else 0,
                     foldid = unit_folds(train$unit))
  list(predict = function(table) drop(predict(model, design(table), s = "lambda.min", type = "response")),
       note = sprintf("lambda %.3g", model$lambda.min))
}

run_peer(fit_glmnet)
