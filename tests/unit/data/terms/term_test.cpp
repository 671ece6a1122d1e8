// The grammar of terms, and terms of the columns of a table.
#include "otss/data/term.hpp"

#include <cmath>

#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"
#include "unit/data/fixtures.hpp"

namespace otss {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Term, HasASmallGrammar) {
  const struct {
    const char* text;
    TermKind kind;
    std::vector<std::string> columns;
  } table[] = {
      {"price^2", TermKind::kSquare, {"price"}},
      {" price ^2", TermKind::kSquare, {"price"}},
      {"price*health", TermKind::kProduct, {"price", "health"}},
      {"price * health", TermKind::kProduct, {"price", "health"}},
      {"log(stock)", TermKind::kLog, {"stock"}},
      {"log(1+stock)", TermKind::kLogOnePlus, {"stock"}},
      {"log( 1+ unit price )", TermKind::kLogOnePlus, {"unit price"}},
      {"log(a)^2", TermKind::kSquare, {"log(a)"}},  // a column may have the name log(a)
  };
  for (const auto& [text, kind, columns] : table) {
    const auto term = parse_term(text);
    ASSERT_TRUE(term) << text;
    EXPECT_EQ(term->kind, kind) << text;
    EXPECT_EQ(term->columns, columns) << text;
    EXPECT_EQ(parse_term(term->name()), term) << text;
  }
}

TEST(Term, IsNothingElse) {
  for (const char* text : {"", "price", "price^3", "price^", "^2", "*", "a*", "*b", "a*b*c", "a*a",
                           "log()", "log(1+)", "log(2", "ln(a)", "sqrt(a)", "a+b", "a^2*b", "1+a"})
    EXPECT_FALSE(parse_term(text)) << text;
}

TEST(Term, HasAValueWhereItIsDefined) {
  EXPECT_EQ(parse_term("a^2")->value(-3, 0), 9);
  EXPECT_EQ(parse_term("a*b")->value(-3, 2), -6);
  EXPECT_EQ(parse_term("log(a)")->value(std::exp(1.0), 0), 1);
  EXPECT_EQ(parse_term("log(1+a)")->value(0, 0), 0);
  EXPECT_TRUE(std::isnan(parse_term("log(a)")->value(0, 0)));
  EXPECT_TRUE(std::isnan(parse_term("log(1+a)")->value(-1, 0)));
}

class TermsOfATable : public testing::Test {
 protected:
  std::string log(const std::string& rows) const {
    return folder_.write("log.csv", "age,price,stock,health,y\n" + rows);
  }
  std::string good() const { return log("30,1,0,2,0\n40,2,3,1,1\n50,4,1,5,0\n60,3,8,2,1\n"); }
  static Roles roles(std::vector<std::string> factors) {
    return {.contexts = {"age"}, .factors = std::move(factors), .outcome = "y"};
  }

  Folder folder_;
};

TEST_F(TermsOfATable, AreFactorsInTheUnitsOfTheirColumns) {
  const LoggedData log = read_log(good(), roles({"price", "price^2", "log(1+stock)"}));
  ASSERT_EQ(log.num_factors(), 3);
  const FactorColumn& square = log.encoder().factors[1];
  EXPECT_EQ(square.term, parse_term("price^2"));
  EXPECT_DOUBLE_EQ(square.center, (1 + 4 + 16 + 9) / 4.0);
  EXPECT_NEAR(log.encoder().factors[2].center, (std::log(4) + std::log(2) + std::log(9)) / 4,
              1e-12);
  EXPECT_FALSE(log.encoder().factors[0].term);
  EXPECT_THAT(log.encoder().own_factors(), ElementsAre("price", "stock"));
}

TEST_F(TermsOfATable, AreTheSameFromMemory) {
  const LoggedData read = read_log(good(), roles({"price", "health", "price*health"}));
  const std::vector<double> age{30, 40, 50, 60}, price{1, 2, 4, 3}, health{2, 1, 5, 2},
      y{0, 1, 0, 1};
  const LoggedData made = make_log({{"age", age}}, {{"price", price}, {"health", health}}, y,
                                   {.terms = {"price*health"}});
  EXPECT_EQ(made.encoder().factors, read.encoder().factors);
  EXPECT_EQ(made.fingerprint(), read.fingerprint());
}

TEST_F(TermsOfATable, AreShrunkByTheirScale) {
  Roles some = roles({"price", "price^2"});
  const double sd = read_log(good(), some).encoder().factors[1].scale;
  some.term_shrinkage = 3;
  const LoggedData log = read_log(good(), some);
  EXPECT_DOUBLE_EQ(log.encoder().factors[1].scale, 3 * sd);
  EXPECT_EQ(log.encoder().factors[0], read_log(good(), roles({"price"})).encoder().factors[0]);
}

TEST_F(TermsOfATable, LoseAgainstAColumnOfTheSameName) {
  const std::string path = folder_.write("own.csv", "age,p,p^2,y\n1,1,7,0\n2,2,9,1\n3,4,8,0\n");
  const LoggedData log = read_log(path, roles({"p", "p^2"}));
  EXPECT_FALSE(log.encoder().factors[1].term);
  EXPECT_DOUBLE_EQ(log.encoder().factors[1].center, 8);
}

TEST_F(TermsOfATable, KeepTheirColumnsOutOfAllContexts) {
  Roles all = roles({"price*stock"});
  all.contexts = {"all"};
  EXPECT_THAT(read_log(good(), all).roles().contexts, ElementsAre("age", "health"));
}

TEST_F(TermsOfATable, AreRefusedInOneLine) {
  const struct {
    std::vector<std::string> factors;
    const char* rows;
    const char* words;
  } table[] = {
      {{"price^3"},
       "1,1,1,1,0\n",
       "has no column 'price^3' (--factors), and 'price^3' is not a term"},
      {{"price*price"}, "1,1,1,1,0\n", "as A^2, A*B, log(A) or log(1+A)"},
      {{"prise^2"}, "1,1,1,1,0\n", "has no column 'prise' (--factors: prise^2); did you mean"},
      {{"price*age"}, "1,1,1,1,0\n", "column 'age' is given to both --context and --factors"},
      {{"price*y"}, "1,1,1,1,0\n", "column 'y' is given to both --outcome and --factors"},
      {{"price^2", "price^2"}, "1,1,1,1,0\n", "--factors names column 'price^2' twice"},
      {{"log(price)"},
       "1,1,1,1,0\n1,0,1,1,1\n",
       "row 2: log(price) is not defined, because 'price' is 0, but must be above 0"},
      {{"log(1+price)"},
       "1,-1.5,1,1,0\n",
       "row 1: log(1+price) is not defined, because 'price' is -1.5, but must be above -1"},
      {{"price^2"}, "1,1,1,1,0\n1,,1,1,1\n", "factor 'price^2' is missing in row 2"},
      {{"price", "price^2"},
       "1,0,1,1,0\n1,1,1,1,1\n1,1,1,2,0\n",
       "factors 'price' and 'price^2' are the same up to scale and offset"},
  };
  for (const auto& [factors, rows, words] : table) {
    const std::string path = log(rows);
    EXPECT_THAT(error_of([&] { read_log(path, roles(factors)); }), HasSubstr(words));
  }
}

TEST_F(TermsOfATable, AreMadeForALibrary) {
  const std::string path = folder_.write("library.csv", "id,price,stock\na,2,0\nb,3,1\n");
  const FeasibleSet library = read_library(path, "id", {"price", "price^2", "log(1+stock)"});
  EXPECT_THAT(library.factors_of(0), ElementsAre(2, 4, 0));
  EXPECT_THAT(library.factors_of(1), ElementsAre(3, 9, std::log(2)));
  EXPECT_THAT(error_of([&] { read_library(path, "id", {"price*health"}); }),
              HasSubstr("has no column 'health' (a factor of the model: price*health)"));
}

TEST_F(TermsOfATable, AreCentredAsTheOtherFactorsAre) {
  const std::string log = folder_.write("c.csv", "who,age,price,y\nu,1,1,0\nu,1,3,1\nv,2,5,0\n");
  const std::string offers = folder_.write("offers.csv", "who,price\nu,1\nu,3\nv,5\nv,7\nv,9\n");
  const std::vector<std::string> factors{"price", "price^2"};
  const LoggedData centred =
      read_centered_log(log, roles(factors), read_candidates(offers, "who", "", factors));
  // The squares 1, 9 and 25, less the mean squares 5, 5 and (25 + 49 + 81) / 3 of the candidates.
  EXPECT_NEAR(centred.encoder().factors[1].center, (-4 + 4 + 25 - 155 / 3.0) / 3, 1e-12);
}

}  // namespace
}  // namespace otss
