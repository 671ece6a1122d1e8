#include "otss/learn/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iterator>

#include "arguments.hpp"
#include "choice_option.hpp"
#include "command.hpp"
#include "describe_model.hpp"
#include "describe_units.hpp"
#include "fit_option_binder.hpp"
#include "fit_option_filler.hpp"
#include "fit_profile.hpp"
#include "fit_summary.hpp"
#include "json.hpp"
#include "log_arguments.hpp"
#include "messages.hpp"
#include "otss/base/error.hpp"
#include "otss/base/profile.hpp"
#include "otss/base/tasks.hpp"
#include "otss/data/feasible_set.hpp"
#include "otss/data/logged_data.hpp"
#include "otss/data/persons.hpp"
#include "otss/learn/check.hpp"
#include "otss/learn/stream.hpp"
#include "otss/learn/terms.hpp"
#include "otss/model/model_file.hpp"
#include "printing.hpp"
#include "progress_bar.hpp"
#include "stream_arguments.hpp"

namespace otss::app {
namespace {

struct FitArguments {
  LogArguments log;
  FitOptions options;
  Terms terms = Terms::kNone;
  std::string init, from;
  StreamArguments stream;

  TermOptions term_options() const {
    return {.family = options.family, .seed = options.seed, .threads = options.threads};
  }
  bool center_factors = false;
  std::string library, candidates, context_id;
  Output output;

  // Returns an option that cannot be used if the rows are on disk, or an empty text.
  std::string option_that_needs_memory(const Roles& roles) const {
    if (center_factors) return "--center-factors";
    if (terms != Terms::kNone) return "--terms";
    return otss::option_that_needs_memory(options, roles);
  }
  bool dry_run = false;
  bool profile = false;
};

void print_encoding(const LoggedData& log, bool json) {
  const Encoder& encoder = log.encoder();
  std::vector<std::string> factors;
  for (const FactorColumn& factor : encoder.factors) factors.push_back(factor.name);
  const auto names = encoder.encoded_names();
  if (json) {
    fmt::print("{}\n", Json{{"rows", log.num_rows()},
                            {"outcome", log.roles().outcome},
                            {"contexts", log.roles().contexts},
                            {"encoded_contexts", names},
                            {"factors", factors}}
                           .dump());
    return;
  }
  print_text("{} rows, outcome '{}'\n", log.num_rows(), log.roles().outcome);
  print_text("{}, encoded as {}: {}\n", counted(encoder.contexts.size(), "context column"),
             names.size(), fmt::join(names, ", "));
  for (const ContextColumn& column : encoder.contexts) {
    if (column.num_encoded() == 0)
      print_text("  '{}' has one value only and is left out\n", column.name);
  }
  for (const LevelPairs& pairs : encoder.level_pairs) {
    print_text("  '{}' and '{}' have many levels, so {} pairs of their levels are encoded too\n",
               encoder.contexts[pairs.first].name, encoder.contexts[pairs.second].name,
               pairs.pairs.size());
  }
  print_text("{}: {}\n", counted(factors.size(), "factor"), fmt::join(factors, ", "));
}

std::vector<std::string> sentences(const Findings& findings) {
  std::vector<std::string> all;
  for (const Finding& finding : findings) all.push_back(finding.what);
  return all;
}

Json summary_with_findings(const Fitted& fitted, const Findings& unidentified,
                           const std::optional<MissingTerm>& missing, double seconds) {
  Json json = summary(fitted, seconds);
  json["not_identified"] = sentences(unidentified);
  json["missing_term"] = missing ? Json{{"term", missing->name}, {"gain", missing->gain}} : Json();
  return json;
}

// --from repeats the options of a fit, and also what this struct holds: the roles of the columns
// and the reading rules.
struct Repeated {
  Roles roles = {};
  ReadingRules rules = {};
};

// Removes the factors that are terms of the model. If --terms is given too, it chooses anew.
void remove_terms(const Encoder& encoder, Roles& roles) {
  for (const FactorColumn& factor : encoder.factors) {
    if (factor.term) std::erase(roles.factors, factor.name);
  }
  roles.term_shrinkage = 1;
}

// Copies the options with which the model of --from was fitted, except for options that are given
// on the command line. Returns the roles of this model's columns and its reading rules. Without
// --from, the roles are empty and the rules are the default.
Repeated repeat(const CLI::App& command, FitArguments& arguments) {
  if (arguments.from.empty()) return {};
  const Fitted model = load_model(arguments.from);
  const NamedValues& options = model.report().options;
  const auto refuse = [&] {
    throw Error(ErrorCode::kInput,
                fmt::format("{}: the model file does not have the options of its fit, so --from "
                            "cannot be used; give the options on the command line instead",
                            arguments.from));
  };
  if (options.empty()) refuse();
  try {
    describe_fit_options(arguments.options, FitOptionFiller{command, options});
  } catch (const std::bad_variant_access&) {
    refuse();
  }
  const ReadingRules& rules = model.encoder().reading;
  Repeated repeated{roles_in_file(model.roles(), rules), rules.for_new_log()};
  if (command.get_option("--terms")->count() > 0) remove_terms(model.encoder(), repeated.roles);
  if (!model.roles().centered_by.empty() && !arguments.center_factors) {
    note(
        "the model that --from names was fitted with --center-factors, which --from does not "
        "repeat; "
        "to centre the factors of this log too, add --center-factors --candidates CAND "
        "--context-id "
        "{}",
        model.roles().centered_by);
  }
  return repeated;
}

// Removes the rules about columns that the command line gives no role to.
void keep_rules_of(const Roles& roles, ReadingRules& rules) {
  const auto among = [](const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::find(names, name) != names.end();
  };
  std::erase_if(rules.text_factors,
                [&](const TextFactor& rule) { return !among(roles.factors, rule.column); });
  std::erase_if(rules.dates, [&](const DateColumn& rule) {
    return !among(roles.contexts, rule.column) && !among(roles.contexts, "all");
  });
  if (rules.positive && !rules.positive->column.empty() && rules.positive->column != roles.outcome)
    rules.positive.reset();
}

void check_centering(const FitArguments& arguments) {
  const auto refuse = [](const char* what) { throw Error(ErrorCode::kUsage, what); };
  const bool library = !arguments.library.empty();
  const bool candidates = !arguments.candidates.empty();
  if (!arguments.center_factors) {
    if (library || candidates || !arguments.context_id.empty())
      refuse(
          "--library, --candidates and --context-id are used only with --center-factors; add "
          "--center-factors, or leave out these options");
    return;
  }
  if (library == candidates)
    refuse(
        "--center-factors needs the feasible decisions; give --library LIB, or --candidates CAND "
        "--context-id COL");
  if (arguments.options.method == Method::kGbm)
    refuse(
        "--center-factors cannot be combined with --method gbm, because trees are not linear in "
        "the "
        "factors and centring would change their decisions; leave out --center-factors");
  if (candidates == arguments.context_id.empty())
    refuse(
        "--candidates CAND and --context-id COL must be given together; COL is the column of LOG "
        "and of CAND with the context id");
}

LoggedData read(const FitArguments& arguments, const ReadingRules& rules, const Roles& roles) {
  const OutcomeKind outcome = arguments.options.family.outcome_kind();
  TableReader reader(arguments.log.source(rules));
  if (arguments.stream.is_streamed(reader.source(), arguments.option_that_needs_memory(roles)))
    return arguments.stream.read(std::move(reader), roles, outcome, arguments.output.path);
  if (!arguments.center_factors) return read_log(std::move(reader), roles, outcome);
  const Roles planned = plan_log(reader, roles).roles;
  const bool is_library = arguments.candidates.empty();
  const TableReader decisions(
      TableSource{.path = is_library ? arguments.library : arguments.candidates,
                  .rules = reader.rules().settled(),
                  .threads = arguments.options.threads});
  const FeasibleSet feasible =
      is_library ? read_library(decisions, "", planned.factors)
                 : read_candidates(decisions, arguments.context_id, "", planned.factors);
  return read_centered_log(std::move(reader), planned, feasible, outcome);
}

// Returns the first names of a list, and how many more there are.
std::string first_names(const std::vector<std::string>& names) {
  constexpr std::size_t kMostShown = 12;
  const auto shown = std::span(names).first(std::min(names.size(), kMostShown));
  const std::size_t more = names.size() - shown.size();
  return fmt::format("{}{}", fmt::join(shown, ", "),
                     more == 0 ? "" : fmt::format(" and {} more", more));
}

// Reads the log with the roles of the command line, chooses the terms that --terms asks for, and
// adds them to the roles. Centring does not change which terms are useful, so the factors are not
// centred here.
void add_chosen_terms(const FitArguments& arguments, const ReadingRules& rules, Roles& roles) {
  if (arguments.terms == Terms::kNone) return;
  if (arguments.log.log.path == "-") {
    throw Error(ErrorCode::kUsage,
                "--terms reads the log twice, which standard input does not allow; give a file");
  }
  Roles uncentered = roles;
  // The context id may be a context as well. If it is not, `--context all` must not make it one.
  const bool is_context =
      std::ranges::find(roles.contexts, arguments.context_id) != roles.contexts.end();
  if (!arguments.context_id.empty() && !is_context)
    uncentered.exclude.push_back(arguments.context_id);
  const ChosenTerms chosen =
      choose_terms(read_log(TableReader(arguments.log.source(rules)), uncentered,
                            arguments.options.family.outcome_kind()),
                   arguments.terms, arguments.term_options());
  add_terms(chosen, roles);
  if (arguments.terms != Terms::kAuto) {
    note("--terms {} added {}: {}", word(arguments.terms), counted(chosen.names.size(), "term"),
         first_names(chosen.names));
  } else if (chosen.names.empty()) {
    note("--terms auto added no term, because no term improves the predictions of held-out rows");
  } else {
    note("--terms auto added {0}: {2}; this lowers the held-out loss by {1:.4f} per row",
         counted(chosen.names.size(), "term"), chosen.gain.mean, fmt::join(chosen.names, ", "));
  }
}

// Returns the term that would lower the loss most. Nothing is tested after --terms auto, which has
// chosen the terms already. A log with centred factors is not tested, because a term of centred
// factors is not the same as a centred term.
std::optional<MissingTerm> missing_term(const FitArguments& arguments, const LoggedData& log) {
  if (arguments.terms == Terms::kAuto || !log.roles().centered_by.empty()) return std::nullopt;
  return find_missing_term(log, arguments.term_options());
}

void note_missing_term(const std::optional<MissingTerm>& missing) {
  if (!missing) return;
  note(
      "the outcome is not linear in the factors: the term {} would lower the loss by about {:.4f} "
      "per row; add it to --factors, or give --terms auto",
      missing->name, missing->gain);
}

// The model, and what `fit` says about the log besides.
struct FitAndFindings {
  std::optional<Fitted> fitted;
  Findings problems, persons;
  std::optional<MissingTerm> missing;

  // Returns the problems that make a weight impossible to learn. The user is warned of these.
  Findings unidentified() const {
    Findings result;
    std::ranges::copy_if(problems, std::back_inserter(result), [](const Finding& finding) {
      return finding.severity == Severity::kUnidentified;
    });
    return result;
  }
};

// Returns the model with a report that has everything that was found, the most severe first.
Fitted with_findings(const FitAndFindings& found, const LoggedData& log) {
  Findings all;
  for (const std::string& note : log.notes()) all.push_back({Severity::kNote, "reading", note});
  all.insert(all.end(), found.problems.begin(), found.problems.end());
  if (found.missing) all.push_back(finding_of(*found.missing));
  all.insert(all.end(), found.persons.begin(), found.persons.end());
  std::ranges::stable_sort(all, {}, &Finding::severity);
  FitReport report = found.fitted->report();
  report.findings = std::move(all);
  return found.fitted->with_report(std::move(report));
}

// Fits the model and looks at the log at the same time: looking keeps one thread busy for as long
// as a fit of a small log takes on many threads.
FitAndFindings fit_and_look(const FitArguments& arguments, const ReadingRules& rules,
                            const LoggedData& log, ProgressBar& bar) {
  const FitOptions& options = arguments.options;
  TableSource source = arguments.log.source(rules);
  source.threads = 1;
  FitAndFindings found;
  using Clock = std::chrono::steady_clock;
  Clock::time_point fitted_at;
  run_tasks({[&] {
               found.fitted = fit(log, options, [&bar](double done, std::string_view what) {
                 bar.show(done, what);
               });
               fitted_at = Clock::now();
             },
             [&] { found.problems = find_problems(log, options.family, options.threads); },
             [&] { found.persons = find_persons(source, log.roles()); },
             [&] { found.missing = missing_term(arguments, log); }},
            options.threads);
  add_to_profile(Stage::kCheck, std::chrono::duration<double>(Clock::now() - fitted_at).count());
  return found;
}

void run(const CLI::App& command, FitArguments& arguments) {
  const auto begin = std::chrono::steady_clock::now();
  if (arguments.output.path.empty() && !arguments.dry_run) {
    throw Error(
        ErrorCode::kUsage,
        "-o MODEL is missing; give the model file to write, or give --dry-run to see how the "
        "columns would be used");
  }
  arguments.output.check({arguments.log.log.path, arguments.library, arguments.candidates});
  Repeated repeated = repeat(command, arguments);
  check_centering(arguments);  // must come after repeat(), which may set the method
  if (!arguments.init.empty())
    arguments.options.init = std::make_shared<const Fitted>(load_model(arguments.init));
  arguments.log.log.threads = arguments.options.threads;
  start_device(arguments.options.device);  // while the log is read
  ProgressBar bar;
  bar.show(0, "reading");
  Roles roles = arguments.log.roles(repeated.roles);
  keep_rules_of(roles, repeated.rules);
  add_chosen_terms(arguments, repeated.rules, roles);
  const LoggedData log = read(arguments, repeated.rules, roles);
  print_notes(log.notes());
  if (arguments.dry_run) {
    print_encoding(log, arguments.output.json);
    return;
  }
  const FitAndFindings found = fit_and_look(arguments, repeated.rules, log, bar);
  const Fitted fitted = with_findings(found, log);
  const Findings unidentified = found.unidentified();
  save_model(fitted, arguments.output.path);
  for (const Finding& finding : found.persons) warn("{}", finding.what);
  for (const Finding& finding : unidentified) warn("not identified: {}", finding.what);
  note_missing_term(found.missing);
  warn_about_uncertainty(fitted);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const FitProfile profile{profile_of_process(), seconds, log.num_rows()};
  if (arguments.output.json) {
    Json json = summary_with_findings(fitted, unidentified, found.missing, seconds);
    if (arguments.profile) json["profile"] = to_json(profile);
    fmt::print("{}\n", json.dump());
  } else {
    print_text("{}", describe_fit(fitted));
    print_text("wrote {} in {:.2f} s\n", arguments.output.path, seconds);
    if (arguments.profile) print_text("{}", describe(profile));
  }
}

}  // namespace

void add_fit(CLI::App& app) {
  CLI::App* command =
      app.add_subcommand("fit", "Learn the weights of each context from a log, and write a model");
  const auto arguments = std::make_shared<FitArguments>();
  arguments->log.add(*command);
  arguments->log.add_unit(*command);
  describe_fit_options(arguments->options, FitOptionBinder{*command});
  add_choice(*command, "--terms", arguments->terms,
             "add terms of the factors: squares, pairs (products of two factors), logs "
             "(logarithms), or auto (the terms of these three kinds that predict held-out rows "
             "better)");
  command
      ->add_option("--init", arguments->init,
                   "start the fit from this model; the new model has the same number of experts, "
                   "in the same order")
      ->type_name("MODEL");
  command
      ->add_option("--from", arguments->from,
                   "use the columns and options that this model was fitted with; an option that is "
                   "given on the command line replaces the option of this model")
      ->type_name("MODEL");
  command->add_flag(
      "--center-factors", arguments->center_factors,
      "centre the factors: subtract from each factor its mean over the decisions that "
      "are feasible in the context of the row");
  command
      ->add_option("--library", arguments->library,
                   "with --center-factors: a table of decisions, the same for all contexts")
      ->type_name("LIB");
  command
      ->add_option("--candidates", arguments->candidates,
                   "with --center-factors: a table that lists the feasible decisions of each "
                   "context separately; needs --context-id")
      ->type_name("CAND");
  command
      ->add_option("--context-id", arguments->context_id,
                   "column of LOG and of CAND with the context id")
      ->type_name("COL");
  arguments->stream.add(*command);
  arguments->output.add(*command, "model file to write");
  command->add_flag("--profile", arguments->profile,
                    "print where the time went: seconds by stage, passes over the rows, tasks and "
                    "peak memory");
  command->add_flag("--dry-run", arguments->dry_run,
                    "print the roles and the encoding of the columns, and stop before the fit");
  command->footer(
      "Examples:\n"
      "  otss fit log.csv --context age,region --factors price,health,novelty --outcome retained "
      "-o model.json\n"
      "  otss fit 'logs/*.parquet' --context all --exclude id --factors price,health --outcome y "
      "--experts 3 -o m.json\n"
      "  otss fit log.csv --context age --factors 'price,price^2,price*health,log(1+stock)' "
      "--outcome y -o m.json\n"
      "  otss fit new_log.csv --from model.json --init model.json -o new_model.json\n"
      "  otss fit log.csv --query \"SELECT * FROM t WHERE week > 10\" --context age --factors "
      "price --outcome y -o m.json\n"
      "  otss fit 'year/*.parquet' --context all --factors price --outcome y --stream --memory 2GB "
      "-o "
      "m.json");
  command->callback([arguments, command] { run(*command, *arguments); });
}

}  // namespace otss::app
