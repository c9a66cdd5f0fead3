"""Tables as plain text."""


def show(title, heads, lines):
    """Print a table; numbers stand right, words left."""
    cells = [[_text(value) for value in line] for line in lines]
    widths = [max(map(len, column)) for column in zip(heads, *cells, strict=True)]
    is_number = [
        bool(lines) and all(not isinstance(line[place], str) for line in lines)
        for place in range(len(heads))
    ]
    print(f"\n{title}")
    for line in [list(heads), ["-" * width for width in widths], *cells]:
        placed = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(line, widths, is_number, strict=True)
        ]
        print("  ".join(placed).rstrip(), flush=True)


def _text(value):
    if isinstance(value, float):
        return f"{value:.3f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def end(name, faults):
    """Print the faults of a program, and return its exit code."""
    for fault in faults:
        print(f"FAULT: {fault}")
    print(f"{name}: {f'{len(faults)} faults' if faults else 'no fault'}", flush=True)
    return int(bool(faults))
