# Writes the public data sets of the arena as CSV files: FOLDER/SET.csv with a column `unit`, the person, household, doctor,
# store or school whose rows stay together in a split. Usage: Rscript export.R FOLDER. Nothing of them is in the repository.
folder <- commandArgs(trailingOnly = TRUE)[1]

from_package <- function(name, package) {
  place <- new.env()
  utils::data(list = name, package = package, envir = place)
  place[[name]]
}

# The rows with the demographics of their unit.
with_demographics <- function(rows, demographics, id) {
  all <- cbind(rows, demographics[match(rows[[id]], demographics[[id]]), setdiff(names(demographics), id)])
  names(all)[names(all) == id] <- "unit"
  all
}

# Turns pairs (chosen minus rival) into rows with an outcome: half of the pairs, at random, are shown with the rival first.
swap_sides <- function(differences) {
  first <- stats::rbinom(nrow(differences), 1, 0.5)
  data.frame(first = first, differences * ifelse(first == 1, 1, -1), check.names = FALSE)
}

bank <- function() {
  bank <- from_package("bank", "bayesm")
  with_demographics(bank$choiceAtt, bank$demo, "id")
}

# The tenth brand (house tub) is left out: a brand's weight is its value relative to that one.
margarine <- function() {
  set.seed(1)
  margarine <- from_package("margarine", "bayesm")
  purchases <- margarine$choicePrice
  prices <- as.matrix(purchases[, -(1:2)])
  brands <- sub("^P", "", colnames(prices))
  num_brands <- length(brands)
  row <- rep(seq_len(nrow(purchases)), each = 2)
  chosen <- purchases$choice[row]
  rival <- unlist(lapply(purchases$choice, function(choice) sample(setdiff(seq_len(num_brands), choice), 2)))
  brand <- diag(num_brands)[chosen, ] - diag(num_brands)[rival, ]
  colnames(brand) <- brands
  log_price <- log(prices[cbind(row, chosen)]) - log(prices[cbind(row, rival)])
  pairs <- swap_sides(cbind(log_price, brand[, -num_brands]))
  with_demographics(cbind(hhid = purchases$hhid[row], pairs), margarine$demos, "hhid")
}

detailing <- function() {
  detailing <- from_package("detailing", "bayesm")
  with_demographics(detailing$counts, detailing$demo, "id")
}

# Here each row is a unit of its own.
cheese <- function() {
  cheese <- from_package("cheese", "bayesm")
  place <- strsplit(as.character(cheese$RETAILER), " - ", fixed = TRUE)
  data.frame(unit = seq_len(nrow(cheese)), city = sapply(place, `[`, 1), chain = sapply(place, `[`, 2),
             log_price = log(cheese$PRICE), display = cheese$DISP, log_volume = log(cheese$VOLUME))
}

verbagg <- function() {
  answers <- from_package("VerbAgg", "lme4")
  data.frame(unit = as.integer(answers$id), anger = answers$Anger, gender = answers$Gender,
             situation_self = as.integer(answers$situ == "self"), mode_do = as.integer(answers$mode == "do"),
             type_scold = as.integer(answers$btype == "scold"), type_shout = as.integer(answers$btype == "shout"),
             yes = as.integer(answers$r2 == "Y"))
}

# Brand 1 is Tropicana Premium (64 oz), 5 its rival Minute Maid, 10 the store's own brand.
juice <- function() {
  juice <- from_package("orangeJuice", "bayesm")
  weeks <- juice$yx[juice$yx$brand == 1, ]
  rows <- data.frame(store = weeks$store, log_price = log(weeks$price1), log_price_rival = log(weeks$price5),
                     log_price_store_brand = log(weeks$price10), deal = weeks$deal, feature = weeks$feat,
                     log_volume = weeks$logmove)
  names(juice$storedemo)[names(juice$storedemo) == "STORE"] <- "store"
  with_demographics(rows, juice$storedemo, "store")
}

# The car is left out: a mode's weight is its value relative to the car's.
travel <- function() {
  set.seed(1)
  modes <- from_package("TravelMode", "AER")
  modes <- modes[order(modes$individual), ]
  quality <- as.matrix(data.frame(wait = modes$wait, vehicle_cost = modes$vcost, travel_time = modes$travel,
                                  general_cost = modes$gcost, air = modes$mode == "air", train = modes$mode == "train",
                                  bus = modes$mode == "bus"))
  rival <- which(modes$choice == "no")
  chosen <- which(modes$choice == "yes")[match(modes$individual[rival], modes$individual[modes$choice == "yes"])]
  data.frame(unit = as.integer(modes$individual[rival]), income = modes$income[rival], size = modes$size[rival],
             swap_sides(quality[chosen, ] - quality[rival, ]))
}

chemistry <- function() {
  pupils <- from_package("Chem97", "mlmRev")
  data.frame(unit = as.integer(pupils$school), authority = paste0("authority ", pupils$lea), gender = pupils$gender,
             gcse = pupils$gcsecnt, age = pupils$age, score = pupils$score)
}

sets <- list(bank = bank, margarine = margarine, detailing = detailing, cheese = cheese, verbagg = verbagg, juice = juice,
             travel = travel, chemistry = chemistry)
dir.create(folder, recursive = TRUE, showWarnings = FALSE)
for (name in names(sets)) utils::write.csv(sets[[name]](), file.path(folder, paste0(name, ".csv")), row.names = FALSE)
