# bayesm on `bank`: a hierarchical logit; the predicted probability of a held-out choice is the average over the draws of that person's
# weights. Usage: Rscript bayesm_units.R TRAIN TEST COMPONENTS DRAWS. Prints the mean log-loss and the seconds, elapsed and
# of the processor, as JSON.
suppressMessages(library(bayesm))
arguments <- commandArgs(trailingOnly = TRUE)
train <- read.csv(arguments[1])
test <- read.csv(arguments[2])
num_components <- as.integer(arguments[3])
num_draws <- as.integer(arguments[4])
KEEP <- 10         # every KEEPth draw is kept
BURN_IN <- 0.25    # share of the kept draws that is thrown away
context <- c("age", "income", "gender")
factors <- setdiff(names(train), c("unit", "choice", context))

# The first alternative has the factors, the second has zeros.
choices_of <- function(rows) {
  alternatives <- matrix(0, 2 * nrow(rows), length(factors))
  alternatives[seq(1, nrow(alternatives), 2), ] <- as.matrix(rows[factors])
  list(y = 2 - rows$choice, X = alternatives)
}

set.seed(1)
start <- proc.time()[["elapsed"]]
people <- train[!duplicated(train$unit), ]
lgtdata <- unname(lapply(split(train, factor(train$unit, people$unit)), choices_of))
sink(nullfile())
draws <- rhierMnlRwMixture(Data = list(p = 2, lgtdata = lgtdata, Z = scale(as.matrix(people[context]))),
                           Prior = list(ncomp = num_components), Mcmc = list(R = num_draws, keep = KEEP, nprint = 0))
sink()
kept <- seq(ceiling(BURN_IN * num_draws / KEEP) + 1, num_draws / KEEP)
person <- match(test$unit, people$unit)
z <- as.matrix(test[factors])
total <- numeric(nrow(test))
for (draw in kept) total <- total + plogis(rowSums(z * draws$betadraw[person, , draw]))
mean <- total / length(kept)
loss <- -mean(log(ifelse(test$choice == 1, mean, 1 - mean)))
used <- proc.time()
cat(sprintf('{"loss": %.6f, "seconds": %.1f, "cpu_seconds": %.1f}\n', loss, used[["elapsed"]] - start, used[["user.self"]] + used[["sys.self"]]))
