"""The contest with nothing to find: contexts are permuted among people, so that "supported" is always a false alarm."""
import sys

import data
import methods
import results as store

SETS = ("bank", "margarine")


def shuffled_copies(options, sets, chosen, results):
    """Summaries of the default fit on the shuffled copies that are in the cache or, unless only a report is wanted, are run
    now."""
    default = next((method for method in chosen if method.name == methods.DEFAULT), None)
    if default is None:
        return []
    collected = []
    for one in (one for one in sets if one.name in SETS):
        for seed in range(1, options.shuffles + 1):
            result = one_copy(options, one, seed, default, results)
            if result:
                collected.append(result)
    return collected


def one_copy(options, one, seed, method, results):
    table = data.write_shuffled(options.cache, one, seed)
    key = (one.name, f"shuffled {seed}", method.name, methods.digest([*method.recipe(), table.read_bytes()]))
    result = results.get(*key)
    if result or options.report:
        return result
    result = {**dict(zip(store.Results.KEY, key)), **method.claim(one, table)}
    results.add(result)
    print(f"{one.name}, shuffled {seed}: {result.get('refused') or result['heterogeneity']}", file=sys.stderr, flush=True)
    return result
