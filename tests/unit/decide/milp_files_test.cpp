// Plan files, factor maps and overrides as users have them; what is written reads back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "otss/base/error.hpp"
#include "unit/data/fixtures.hpp"
#include "unit/decide/milp_plans.hpp"

namespace otss {
namespace {

using namespace internal;

using test::kInf;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

class MilpFiles : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& text) {
    return folder_.write(name, text);
  }
  MilpPlan mps(const std::string& text) { return read_milp_plan(file("plan.mps", text)); }
  MilpPlan lp(const std::string& text) { return read_milp_plan(file("plan.lp", text)); }
  auto reading_mps(const std::string& text) {
    return [this, text] { mps(text); };
  }
  auto reading_lp(const std::string& text) {
    return [this, text] { lp(text); };
  }

 private:
  Folder folder_;
};

constexpr const char* kMps =
    "* a comment\n"
    "NAME          TEST\n"
    "ROWS\n"
    " N  COST\n"
    " L  LIM1\n"
    " G  MYEQN\n"
    " E  EQ\n"
    " N  ALSO\n"
    "COLUMNS\n"
    "    MARKER                 'MARKER'                 'INTORG'\n"
    "    X         COST         1.0   LIM1         1.0\n"
    "    MARKER                 'MARKER'                 'INTEND'\n"
    "    Y         COST         2.0   LIM1         1.5\n"
    "    Y         MYEQN        1.0   ALSO         9\n"
    "    Z         EQ           -1\n"
    "RHS\n"
    "    RHS       LIM1         4.0   MYEQN        1.0\n"
    "    RHS       COST         7.0   EQ         3.0\n"
    "RANGES\n"
    "    RNG       LIM1         2.5   EQ        -1\n"
    "BOUNDS\n"
    " UP BND       Y            -4.0\n"
    " FR BND       Z\n"
    "ENDATA\n";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST_F(MilpFiles, ReadsMps) {
  const MilpPlan plan = mps(kMps);
  EXPECT_THAT(plan.variables, ElementsAre("X", "Y", "Z"));
  EXPECT_THAT(plan.constraints, ElementsAre("LIM1", "MYEQN", "EQ"));
  EXPECT_THAT(plan.integer, ElementsAre(1, 0, 0));
  EXPECT_THAT(plan.lower, ElementsAre(0, -kInf, -kInf));
  EXPECT_THAT(plan.upper, ElementsAre(1, -4, kInf));
  EXPECT_THAT(plan.row_lower, ElementsAre(1.5, 1, 2));
  EXPECT_THAT(plan.row_upper, ElementsAre(4, kInf, 3));
  EXPECT_THAT(plan.first, ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(plan.value, ElementsAre(1, 1.5, 1, -1));
  // It minimises X + 2 Y - 7.
  EXPECT_THAT(plan.objective, ElementsAre(-1, -2, 0));
  EXPECT_EQ(plan.constant, 7);
}

TEST_F(MilpFiles, RespectsTheSenseMpsStates) {
  for (const char* sense :
       {"OBJSENSE\n    MAX\nROWS\n", "OBJSENSE MAXIMIZE\nROWS\n", "OBJSENSE\nMAX\nROWS\n"}) {
    const MilpPlan plan = mps(replaced(kMps, "ROWS\n", sense));
    EXPECT_THAT(plan.objective, ElementsAre(1, 2, 0));
    EXPECT_EQ(plan.constant, -7);
  }
}

TEST_F(MilpFiles, ReadsEveryBoundTypeOfMps) {
  const std::string head = "ROWS\n N c\nCOLUMNS\n a c 1\n b c 1\n d c 1\n e c 1\n f c 1\nBOUNDS\n";
  const MilpPlan plan =
      mps(head + " FX B a 2\n BV B b\n MI B d\n UI B e 7\n LO B f 1\n UP B f 1e30\nENDATA\n");
  EXPECT_THAT(plan.lower, ElementsAre(2, 0, -kInf, 0, 1));
  EXPECT_THAT(plan.upper, ElementsAre(2, 1, kInf, 7, kInf));
  EXPECT_THAT(plan.integer, ElementsAre(0, 1, 0, 1, 0));
}

TEST_F(MilpFiles, RefusesMpsItDoesNotUnderstand) {
  const auto refuses = [&](const std::string& from, const std::string& to, const char* says) {
    EXPECT_THAT(reading_mps(replaced(kMps, from, to)),
                ThrowsMessage<Error>(AllOf(HasSubstr("plan.mps: line "), HasSubstr(says))));
  };
  refuses("ENDATA\n", "", "without ENDATA");
  refuses("RANGES", "SOS1", "section SOS1 is not supported");
  refuses(" L  LIM1", " Q  LIM1", "type (N, L, G or E)");
  refuses(" G  MYEQN", " G  LIM1", "two rows 'LIM1'");
  refuses("1.0   LIM1", "abc   LIM1", "'abc' is not a finite number");
  refuses("Y         MYEQN", "Y         MYEQ", "no row 'MYEQ'; did you mean 'MYEQN'?");
  refuses("Z         EQ ", "X         EQ ", "lines of column 'X' are not consecutive");
  refuses("ALSO         9", "LIM1         9", "two values in row 'LIM1'");
  refuses(" FR BND       Z", " SC BND       Z", "bound type SC");
  refuses(" FR BND       Z", " FR BND       ZZ", "no column 'ZZ'; did you mean 'Z'?");
  refuses("    RHS       COST", "    RHS2      COST", "second set, 'RHS2'");
  refuses("'INTEND'", "'SOSEND'", "marker 'SOSEND'");
}

constexpr const char* kLp =
    "\\ a comment\n"
    "Maximize\n"
    " obj: 3 x + 2y - z + 5\n"
    "Subject To\n"
    " c1: x + y + z <= 4\n"
    " r: -2 <= x - y <= 8\n"
    " 2 x + y >= 1\n"
    " - x + 2 z = -1.5\n"
    "Bounds\n"
    " x <= 3\n"
    " -5 <= y <= 10\n"
    " z free\n"
    "Generals\n"
    " x\n"
    "End\n";

TEST_F(MilpFiles, ReadsLp) {
  const MilpPlan plan = lp(kLp);
  EXPECT_THAT(plan.variables, ElementsAre("x", "y", "z"));
  EXPECT_THAT(plan.constraints, ElementsAre("c1", "r", "c3", "c4"));
  EXPECT_THAT(plan.row_lower, ElementsAre(-kInf, -2, 1, -1.5));
  EXPECT_THAT(plan.row_upper, ElementsAre(4, 8, kInf, -1.5));
  EXPECT_THAT(plan.lower, ElementsAre(0, -5, -kInf));
  EXPECT_THAT(plan.upper, ElementsAre(3, 10, kInf));
  EXPECT_THAT(plan.integer, ElementsAre(1, 0, 0));
  EXPECT_THAT(plan.objective, ElementsAre(3, 2, -1));
  EXPECT_EQ(plan.constant, 5);
  EXPECT_THAT(plan.first, ElementsAre(0, 4, 7, 9));
}

TEST_F(MilpFiles, ReadsTheOtherSpellingsOfLp) {
  const MilpPlan plan =
      lp("MINIMISE x + 0.5 * y\nst\n cap: 3 >= x + x\nbound\n -inf <= y <= 1e30\nBIN\n x\nEND\n");
  EXPECT_THAT(plan.objective, ElementsAre(-1, -0.5));
  EXPECT_THAT(plan.value, ElementsAre(2));
  EXPECT_THAT(plan.row_upper, ElementsAre(3));
  EXPECT_THAT(plan.upper, ElementsAre(1, kInf));
  EXPECT_THAT(plan.lower, ElementsAre(0, -kInf));
}

TEST_F(MilpFiles, RefusesLpItDoesNotUnderstand) {
  const auto refuses = [&](const std::string& from, const std::string& to, const char* says) {
    EXPECT_THAT(reading_lp(replaced(kLp, from, to)),
                ThrowsMessage<Error>(AllOf(HasSubstr("plan.lp: line "), HasSubstr(says))));
  };
  refuses("End\n", "", "without End");
  refuses("Maximize", "Optimize", "begins with Maximize or Minimize");
  refuses("2 x + y >= 1", "2 x + y >=", "one number to the right of >=");
  refuses("2 x + y >= 1", "2 x + y >= 1 z", "one number to the right of >=");
  refuses("2 x + y >= 1", "2 x + y 1", "is missing before '1'");
  refuses("2 x + y >= 1", "[ x ^ 2 ] >= 1", "is missing before '['");
  refuses("2 x + y >= 1", "2 x + >= 1", "is missing before '>='");
  refuses(" r:", " c1:", "two constraints 'c1'");
  refuses(" x\nEnd", " xx\nEnd", "'xx' is not a variable");
  refuses("Generals", "SOS1", "section 'sos' is not supported");
  refuses("Generals", "Semi-continuous", "section 'semi-continuous' is not supported");
  refuses("x <= 3\n", "x <= three\n", "bound 'three' is not a number");
}

// The fuzzers found these: numbers that are fine one by one and make no number together.
TEST_F(MilpFiles, RefusesBoundsThatNoNumberSatisfies) {
  EXPECT_THAT(reading_mps(replaced(kMps, " FR BND       Z", " FX BND       Z   inf")),
              ThrowsMessage<Error>(HasSubstr("plan.mps: variable 'Z' has the bounds inf")));
  EXPECT_THAT(reading_mps(replaced(kMps, "-4.0", "-1e30")),
              ThrowsMessage<Error>(HasSubstr("variable 'Y' has the bounds -inf and -inf")));
  EXPECT_THAT(reading_lp(replaced(kLp, "x <= 3", "x >= 1e30")),
              ThrowsMessage<Error>(HasSubstr("plan.lp: variable 'x' has the bounds inf and inf")));
}

TEST_F(MilpFiles, RefusesSumsThatAreTooLarge) {
  const auto refuses = [&](const std::string& from, const std::string& to, const char* says) {
    EXPECT_THAT(reading_lp(replaced(kLp, from, to)),
                ThrowsMessage<Error>(AllOf(HasSubstr("plan.lp: "), HasSubstr(says))));
  };
  refuses("obj: 3 x", "obj: 1e308 x + 1e308 x", "variable 'x' in the objective is too large");
  refuses("2 x + y >= 1", "1e308 y + 1e308 y >= 1", "variable 'y' in constraint 'c3'");
  refuses("+ 5", "+ 1e308 + 1e308", "constant of the objective is too large");
  refuses("2 x + y >= 1", "x - 1e308 >= 1e308", "line 7: 1e+308 minus -1e+308 is too large");
}

TEST_F(MilpFiles, RefusesFilesThatAreNoPlans) {
  EXPECT_THAT([] { read_milp_plan("plan.txt"); }, ThrowsMessage<Error>(HasSubstr(".mps or .lp")));
  EXPECT_THAT([] { read_milp_plan("none.mps"); },
              ThrowsMessage<Error>(HasSubstr("cannot be opened")));
  EXPECT_THAT(reading_mps("ROWS\n N c\nENDATA\n"), ThrowsMessage<Error>(HasSubstr("no variables")));
}

TEST_F(MilpFiles, NoCutOfAPlanIsTakenForAPlan) {
  const std::string whole_mps = kMps, whole_lp = kLp;
  for (std::size_t size = 0; size + 8 < whole_mps.size(); ++size) {
    EXPECT_THROW(mps(whole_mps.substr(0, size)), Error) << size;
  }
  for (std::size_t size = 0; size + 4 < whole_lp.size(); ++size) {
    EXPECT_THROW(lp(whole_lp.substr(0, size)), Error) << size;
  }
}

TEST_F(MilpFiles, WhatIsWrittenReadsBack) {
  for (MilpPlan plan : {mps(kMps), lp(kLp)}) {
    plan.upper[0] = 17;
    const std::vector<double> w{0.1, -1.0 / 3, 0};
    FactorMap map = test::identity_map(plan);
    map.constants[0] = 5;
    const MilpProblem problem = MilpBridge(plan, map).problem(0, w);
    const MilpPlan again = mps(mps_text(problem));
    EXPECT_EQ(again.objective, problem.objective);
    EXPECT_EQ(again.constant, problem.constant);
    EXPECT_EQ(again.lower, problem.lower);
    EXPECT_EQ(again.upper, problem.upper);
    EXPECT_EQ(again.row_lower, problem.row_lower);
    EXPECT_EQ(again.row_upper, problem.row_upper);
    EXPECT_EQ(again.value, plan.value);
    EXPECT_EQ(again.integer, plan.integer);
    const MilpPlan as_lp = lp(lp_text(problem));
    EXPECT_EQ(as_lp.objective, problem.objective);
    EXPECT_EQ(as_lp.constant, problem.constant);
    EXPECT_EQ(as_lp.lower, problem.lower);
    EXPECT_EQ(as_lp.upper, problem.upper);
    EXPECT_EQ(as_lp.integer, plan.integer);
    // Its two-sided rows have become two.
    EXPECT_GT(as_lp.num_constraints(), plan.num_constraints());
  }
}

TEST_F(MilpFiles, RefusesToWriteNamesAFormatCannotHold) {
  MilpPlan plan = lp(kLp);
  plan.variables[0] = "3x";
  const MilpProblem problem =
      MilpBridge(plan, test::identity_map(plan)).problem(0, std::vector<double>(3));
  EXPECT_THAT([&] { lp_text(problem); },
              ThrowsMessage<Error>(AllOf(HasSubstr("'3x'"), HasSubstr(".mps"))));
  EXPECT_THAT(mps_text(problem), HasSubstr(" 3x "));
}

TEST_F(MilpFiles, RefusesToWriteNamesThatAreKeywordsOfLp) {
  for (const char* name : {"End", "st", "free", "inf", "bounds"}) {
    MilpPlan plan = lp(kLp);
    plan.variables[0] = name;
    const MilpProblem problem =
        MilpBridge(plan, test::identity_map(plan)).problem(0, std::vector<double>(3));
    EXPECT_THAT([&] { lp_text(problem); }, ThrowsMessage<Error>(HasSubstr(name)));
    EXPECT_EQ(mps(mps_text(problem)).variables, plan.variables);
  }
}

// An MPS file would say that such a constraint can be satisfied.
TEST_F(MilpFiles, RefusesToWriteReversedLimitsAsMps) {
  MilpPlan plan = mps(kMps);
  plan.row_lower[0] = plan.row_upper[0] + 1;
  const MilpProblem problem =
      MilpBridge(plan, test::identity_map(plan)).problem(0, std::vector<double>(3));
  EXPECT_THAT([&] { mps_text(problem); },
              ThrowsMessage<Error>(AllOf(HasSubstr("constraint 'LIM1' has the lower limit 5 above"),
                                         HasSubstr(".lp"))));
  EXPECT_THAT(lp_text(problem), HasSubstr("LIM1_lower"));
}

class MilpTables : public MilpFiles {
 protected:
  auto map_of(const std::string& rows) {
    return [this, rows] {
      const auto path = file("map.csv", "variable,factor,coefficient\n" + rows);
      return read_factor_map(TableReader({path, ""}), {"price", "time"});
    };
  }
  auto overrides_of(const std::string& rows) {
    return [this, rows] {
      const auto path = file("over.csv", "row,kind,name,value\n" + rows);
      return read_milp_overrides(TableReader({path, ""}), mps(kMps));
    };
  }
};

TEST_F(MilpTables, FactorMapHasConstantsWhereNoVariableStands) {
  const FactorMap map = map_of("b,price,2\n,time,7\na,time,-1\nb,time,0.5\n")();
  EXPECT_THAT(map.variables, ElementsAre("b", "a"));
  EXPECT_THAT(map.constants, ElementsAre(0, 7));
  EXPECT_THAT(weighted_objective(map, std::vector<double>{1, 10}), ElementsAre(7, -10));
  EXPECT_EQ(weighted_constant(map, std::vector<double>{1, 10}), 70);
}

TEST_F(MilpTables, FactorMapRefusesWhatItCannotUse) {
  EXPECT_THAT(map_of("a,prise,1\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("map.csv: row 1, column factor"),
                                         HasSubstr("did you mean 'price'?"))));
  EXPECT_THAT(map_of("a,price,1\na,price,2\n"),
              ThrowsMessage<Error>(AllOf(HasSubstr("row 2"), HasSubstr("listed twice"))));
  EXPECT_THAT(map_of("a,price,1\na,time,\n"),
              ThrowsMessage<Error>(HasSubstr("row 2, column coefficient")));
}

TEST_F(MilpTables, OverridesNameRowsConstraintsAndVariables) {
  const MilpOverrides overrides =
      overrides_of("2,rhs,MYEQN,3\n2,upper,X,0\n5,lower,Z,-inf\n5,upper,LIM1,9\n")();
  const MilpPlan plan = mps(kMps);
  const MilpBridge bridge(plan, test::identity_map(plan), overrides);
  const std::vector<double> w(3, 1);
  EXPECT_THAT(bridge.problem(0, w).row_lower, ElementsAre(1.5, 1, 2));
  EXPECT_THAT(bridge.problem(1, w).row_lower, ElementsAre(1.5, 3, 2));
  EXPECT_THAT(bridge.problem(1, w).upper, ElementsAre(0, -4, kInf));
  EXPECT_THAT(bridge.problem(4, w).row_upper, ElementsAre(9, kInf, 3));
}

TEST_F(MilpTables, OverridesTakeLargeNumbersForInfinityAsPlansDo) {
  const MilpOverrides overrides = overrides_of("1,upper,X,1e30\n1,lower,Y,-1e31\n")();
  const MilpPlan plan = mps(kMps);
  const MilpProblem problem =
      MilpBridge(plan, test::identity_map(plan), overrides).problem(0, std::vector<double>(3, 1));
  EXPECT_THAT(problem.upper, ElementsAre(kInf, -4, kInf));
  EXPECT_THAT(problem.lower, ElementsAre(0, -kInf, -kInf));
}

TEST_F(MilpTables, OverridesRefuseWhatTheyCannotMean) {
  const auto refuses = [&](const std::string& rows, const char* where, const char* says) {
    EXPECT_THAT(overrides_of(rows), ThrowsMessage<Error>(AllOf(HasSubstr("over.csv: row "),
                                                               HasSubstr(where), HasSubstr(says))));
  };
  refuses("0,rhs,MYEQN,3\n", "column row", "from 1 on");
  refuses("1.5,rhs,MYEQN,3\n", "column row", "from 1 on");
  refuses("1,rsh,MYEQN,3\n", "column kind", "'rsh' is unknown");
  refuses("1,rhs,MYEQ,3\n", "column name", "did you mean 'MYEQN'?");
  refuses("1,rhs,X,3\n", "column name", "no constraint 'X'");
  refuses("1,upper,XX,3\n", "column name", "did you mean 'X'?");
  refuses("1,rhs,LIM1,3\n", "column kind", "two limits");
  refuses("1,upper,X,\n", "column value", "missing");
  refuses("1,lower,X,inf\n", "column value", "infinite");
  refuses("1,lower,X,1e30\n", "column value", "infinite");
  refuses("1,upper,X,2\n1,upper,X,3\n", "row 2", "set twice for context row 1");
}

}  // namespace
}  // namespace otss
