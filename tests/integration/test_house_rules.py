"""Each rule of tools/check_house fails on a made-up tree that breaks it, and only that rule does."""
import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "tools/check_house"
loader = importlib.machinery.SourceFileLoader("check_house", str(SCRIPT))
check_house = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_house", loader))
loader.exec_module(check_house)

GOOD = {
    "src/learn/README.md": "# learn\n",
    "src/learn/fit.cpp": '#include "learn/fit.hpp"\nif (method == Method::kEm) return;  // was: method == "em"\n',
    "src/model/README.md": "# model\n",
    "src/model/fitted_parts.hpp": "namespace otss {\nstruct Fitted::Parts {};\n}\n",
    "src/model/fitted.hpp": "namespace otss::internal {\nnamespace {\n}\n}\n",
    "src/model/fitted.cpp": "namespace otss {\n\nusing namespace internal;\n\nFitted::Fitted() {}\n}\n",
    "src/model/file/model_file.cpp": 'const Json json = Json::parse(text);\nif (word == "em") return Method::kEm;\n',
    "src/decide/README.md": "# decide\n",
    "src/decide/milp/cbc.cpp": "auto* solver = dynamic_cast<OsiClpSolverInterface*>(base);\n",
    "apps/otss/main.cpp": '#include <otss/otss.hpp>\n#include "command.hpp"\n',
    "docs/install.md": "See https://example.org/home/page and build/otss.\n",
}
MACHINE = "/" + "work/main/build"  # in pieces: this file keeps the rules too
HOST = "http" + "://registry.example:4873/npm"

# A rule and trees that break it, each once.
BAD = {
    "folders_have_few_subjects": [{f"src/learn/file{i}.cpp": "" for i in range(20)}],
    "json_is_parsed_by_readers_only": [{"src/learn/fit.cpp": "auto j = Json::parse(report);\n"},
                                       {"apps/otss/fit.cpp": "auto j = nlohmann::json::parse(report);\n"}],
    "closed_sets_are_no_words": [{"src/learn/fit.cpp": 'if (options.method == "em") return;\n'},
                                 {"src/learn/fit.cpp": 'if ("bayes" != estimator) return;\n'},
                                 {"apps/otss/fit.cpp": 'if (estimator.starts_with("paper")) return;\n'}],
    "apps_include_public_headers_only": [{"apps/otss/main.cpp": '#include "learn/fit.hpp"\n'},
                                         {"examples/a.cpp": "#include <model/file/model_json.hpp>\n"}],
    "casts_are_of_open_sets": [{"src/model/maps.cpp": "auto* m = dynamic_cast<const SoftMixture*>(map);\n"},
                               {"src/model/maps.cpp": "auto m = std::dynamic_pointer_cast<SoftMixture>(map);\n"}],
    "private_code_is_internal": [{"src/learn/fit.hpp": "namespace otss {\nint fit();\n}\n"},
                                 {"src/learn/fit.cpp": "namespace otss {\nnamespace {\nint one;\n}\n}\n"},
                                 {"src/data/csv.cpp": "namespace otss::duck {\n}\n", "src/data/README.md": "# data\n"}],
    "files_are_short": [{"src/learn/fit.cpp": "\n" * 501}, {"tools/check": "\n" * 501}],
    "rooms_say_what_they_are_for": [{"src/serve/server.cpp": ""}, {"src/learn/README.md": "line\n" * 21}],
    "nothing_names_this_machine": [{"README.md": f"Built in {MACHINE}.\n"}, {"tools/get": f"npm --registry {HOST}\n"}],
}


def problems(files):
    """Rules that the tree breaks, and how often."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = pathlib.Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        tree = check_house.Tree(folder)
        found = {rule.__name__: len(rule(tree)) for rule in check_house.RULES}
    return {name: count for name, count in found.items() if count}


class HouseRules(unittest.TestCase):
    def test_a_tidy_tree_keeps_them_all(self):
        self.assertEqual(problems(GOOD), {})

    def test_each_can_be_broken_alone(self):
        for rule in check_house.RULES:
            for files in BAD[rule.__name__]:
                with self.subTest(rule=rule.__name__, files=sorted(files)[:1]):
                    self.assertEqual(problems({**GOOD, **files}), {rule.__name__: 1})

    def test_pending_names_rules_there_are(self):
        self.assertLessEqual(check_house.PENDING, {rule.__name__ for rule in check_house.RULES})


if __name__ == "__main__":
    unittest.main()
