// Everything a program that uses otss may include.
#pragma once

#include "otss/base/error.hpp"
#include "otss/base/options.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/splits.hpp"
#include "otss/data/table.hpp"
#include "otss/decide/candidates.hpp"
#include "otss/decide/decider.hpp"
#include "otss/decide/library.hpp"
#include "otss/decide/milp.hpp"
#include "otss/learn/fit.hpp"
#include "otss/model/diagnostics.hpp"
#include "otss/model/fitted.hpp"
#include "otss/model/model_file.hpp"
#include "otss/model/output_family.hpp"
#include "otss/model/weight_map.hpp"
