"""The numbers in the prose of a Markdown page, and which of them are accounted for."""
import re

NUMBER = re.compile(r"(?<![\w.])[−+-]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d*\.\d+|\d+)(?!\w|\.\d)")
# Text in which a number is a name or a tolerance: code, the target of a link, a decision record, 1e-10.
NAMES = re.compile(r"`[^`]*`|\]\([^)]*\)|\bADR \d+|\b\d+e-\d+")


def plain(text):
    return " ".join(text.split())


def blocks(text):
    """The paragraphs, list items and table rows of a page, each as one line. Code and headings are left out."""
    result, current, in_code = [], [], False

    def end():
        if current:
            result.append(plain(" ".join(current)))
        current.clear()

    for line in text.splitlines():
        if line.startswith("```"):
            in_code = not in_code
            end()
        elif in_code or line.startswith(("    ", "#")) and not current:
            end()
        elif not line.strip():
            end()
        elif line.startswith("|") or re.match(r"\s*([-*]|\d+\.) ", line):
            end()
            current.append(line)
        else:
            current.append(line)
    end()
    return [block for block in result if not re.fullmatch(r"[|:\s-]+", block)]


def numbers(block):
    """The places (begin, end) of the numbers of a block."""
    hidden = NAMES.sub(lambda found: " " * len(found.group()), block)
    return [found.span() for found in NUMBER.finditer(hidden)]


def places(block, quote, number=None):
    """The places of a quote in a block; with a number, the last place of this number in each of them."""
    quote = plain(quote)
    begin = block.find(quote)
    while begin >= 0:
        first = begin + (quote.rindex(number) if number else 0)
        yield first, first + len(number or quote)
        begin = block.find(quote, begin + 1)


def unexplained(block, quoted, settings):
    """The numbers of a block that are neither in `quoted`, pairs of a quote and a number in it, nor in a setting's quote."""
    explained = [place for quote, number in quoted for place in places(block, quote, number)]
    explained += [place for quote in settings for place in places(block, quote)]
    return [block[begin:end] for begin, end in numbers(block)
            if not any(first <= begin and end <= last for first, last in explained)]
