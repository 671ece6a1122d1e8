"""Results that take long are kept in files."""
import json
import pathlib


def cached(folder, name, compute):
    """The result of compute(), which is kept as JSON in the file `name` of the folder; without a folder it is not kept."""
    place = pathlib.Path(folder) / name if folder else None
    if place and place.exists():
        return json.loads(place.read_text())
    result = compute()
    if place:
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(json.dumps(result))
    return result
