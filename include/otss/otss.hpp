// Everything a program that uses otss may include.
#pragma once

#include "otss/base/error.hpp"
#include "otss/base/options.hpp"
#include "otss/data/check.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/splits.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/candidates.hpp"
#include "otss/decide/decider.hpp"
#include "otss/decide/library.hpp"
#include "otss/learn/check.hpp"
