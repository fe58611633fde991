"""Draw the pieces of both games and write bookbuilder/explorer/web/pieces.json.

Chess pieces are outlines written by hand. Xiangqi characters and letters are brush strokes: a centre line with
a width at each of its points. This program computes their outline, so they need no font. A test compares the
file with its output. Source: own drawings.
"""

# ruff: noqa: E501 (an outline, or a character's part, reads best on one line)
from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

Point: TypeAlias = tuple[float, float, float]
"""x, y on a field of 100 × 100, y downwards; and the brush's width there."""
Stroke: TypeAlias = Sequence[Point]

FILE = Path(__file__).resolve().parents[2] / "bookbuilder" / "explorer" / "web" / "pieces.json"

FOOT = "M28.5 78.6q21.5-4.6 43 0"
CHESS = {
    "P": [
        ("body", "M50 20a12.5 12.5 0 0 1 8.4 21.8h3.1a2.9 2.9 0 0 1 0 5.8h-4.7c1 13.4 5.8 23.2 13.6 30.2 4 3.5 5.1 "
                 "7 5.1 12.2h-51c0-5.2 1.1-8.7 5.1-12.2 7.8-7 12.6-16.8 13.6-30.2h-4.7a2.9 2.9 0 0 1 0-5.8h3.1A12.5 "
                 "12.5 0 0 1 50 20z"),
        ("line", "M30.5 79q19.5-4 39 0"),
    ],
    "R": [
        ("body", "M25.5 17h11.5v8h7.5v-8h11v8h7.500v-8h11.5v17l-8 7 2.6 34.500h4.900q4 0 4 4.500v10h-56v-10q0-4.5 "
                 "4-4.500h4.900l2.6-34.5-8-7z"),
        ("line", "M33.5 41h33"),
        ("line", "M31 75.5h38"),
    ],
    "N": [
        ("body", "M25.5 90c0-9.5 3.5-15.5 11-22 6.5-5.6 10-10.5 10-16-4.5 2.6-9.3 2.4-13.3 4-4 "
                 "1.7-6 5.6-10.2 5.6-5.2 0-9-5.4-7.4-10.8 1.1-3.8 5.6-7.4 8.3-12.7 2.6-5.1 "
                 "3.3-10.2 8-15.2 1.6-1.7 3.2-2.7 4-4.4.5-3.5.8-6.4 2.7-9 3.4 1.7 5.5 4.4 6.9 "
                 "7.6 1.6-1.2 3.2-4 6.3-6.3 1.9 2.6 2.5 5.2 2.9 7.9 15.8 4.7 23.8 21.5 23.3 "
                 "45.8-.2 9.5 1.2 17.5 1 25.500z"),
        ("line", "M57.5 23c9.5 7.5 14 22.5 13 43"),
        ("line", "M46.5 52c3.5-2 6-5.5 6.5-9.5"),
        ("mark", "M38.8 29.300a3 3 0 1 1-6 2.400c1.5-1.6 3.6-2.5 6-2.400z"),
        ("mark", "M23.5 47.600a2 2 0 1 1-3.9.9c.8-1.1 2.2-1.5 3.9-.9z"),
    ],
    "B": [
        ("body", "M50 8.500a5.3 5.3 0 0 1 3.7 9.100c8 7 13.6 15.4 13.6 24.4 0 7-2.9 12-7.8 15.500h2.300a3 3 0 0 "
                 "1 0 6h-3.400c1 7 4 11 9 14.5 5 3 8.1 6 8.1 12h-51c0-6 3.1-9 8.1-12 5-3.5 8-7.5 9-14.500h-3.400a3 "
                 "3 0 0 1 0-6h2.300c-4.9-3.5-7.8-8.5-7.8-15.5 0-9 5.6-17.4 13.6-24.400A5.3 5.3 0 0 1 50 "
                 "8.500z"),
        ("line", "M57.5 26.500l-8 13.5"),
        ("line", "M41 57.500h18"),
        ("line", "M31 79q19-4 38 0"),
    ],
    "Q": [
        ("body", "M19.5 30l12 24.5 3-31.5 9.5 28 6-31 6 31 9.5-28 3 31.5 12-24.5-8 36q-.8 4 .3 8 4.7 3 4.7 "
                 "9v7h-55v-7q0-6 4.7-9 1.1-4 .3-8z"),
        ("body", "M19.5 21a4.6 4.6 0 1 0 .01 0z"),
        ("body", "M34.5 14a4.6 4.6 0 1 0 .01 0z"),
        ("body", "M50 11a4.6 4.6 0 1 0 .01 0z"),
        ("body", "M65.5 14a4.6 4.6 0 1 0 .01 0z"),
        ("body", "M80.5 21a4.6 4.6 0 1 0 .01 0z"),
        ("line", "M28 66.500q22-5 44 0"),
        ("line", FOOT),
    ],
    "K": [
        ("body", "M46.9 7h6.200v5.900h5.900v6.200h-5.900v9h-6.200v-9h-5.900v-6.200h5.900z"),
        ("body", "M50 46c0-13 10.5-18.5 20.5-16.8 11.5 2 16.5 12.3 12 22.3-2.6 5.8-8.5 9.5-10 15q-.8 4 .3 8 4.7 "
                 "3 4.7 9v6.500h-55v-6.500q0-6 4.7-9 1.1-4 .3-8c-1.5-5.5-7.4-9.2-10-15-4.5-10 .5-20.3 12-22.3 "
                 "10-1.7 20.5 3.8 20.5 16.800z"),
        ("body", "M50 25.500c8 6 8 15 0 23.5-8-8.5-8-17.5 0-23.500z"),
        ("line", "M50 49v13.5"),
        ("line", "M28 66.500q22-5 44 0"),
        ("line", FOOT),
    ],
}  # fmt: skip

# Two more sets: figures that are turned on a lathe, and figures that are cut out of paper. A profile is a list of
# half widths at heights; the body is as wide on both sides of the middle.
Profile: TypeAlias = Sequence[tuple[float, float]]
# fmt: off
TURNED: dict[str, Profile] = {
    "P": [(22, 2), (25, 7), (31, 10.5), (37, 10.5), (42, 7.5), (45, 11), (49, 11), (51, 7), (62, 9), (71, 15), (77, 20)],
    "B": [(10, 2), (13, 4.5), (17, 3.5), (21, 5.5), (31, 13), (41, 14), (48, 10), (52, 8), (54, 13), (58, 13), (60, 8),
          (69, 11), (77, 20)],
    "K": [(26, 4), (31, 15), (40, 20), (50, 18.5), (58, 13), (60, 16), (64, 16), (66, 12), (72, 15), (77, 21)],
}
# fmt: on
CUT: dict[str, Profile] = {
    "P": [(22, 6), (27, 11), (36, 11), (41, 6), (44, 6), (66, 13), (77, 20)],
    "B": [(12, 1), (30, 13), (42, 13), (50, 7), (54, 7), (66, 11), (77, 20)],
    "K": [(28, 4), (32, 18), (44, 22), (58, 12), (64, 12), (77, 20)],
}
CROSS = "M47 7h6v6h6v6h-6v8h-6v-8h-6v-6h6z"
# fmt: off
KNIGHT: Sequence[tuple[float, float]] = [
    (38, 13), (45, 22), (60, 27), (71, 40), (75, 58), (73, 77), (73, 77), (79, 79), (79, 79), (79, 89), (79, 89), (23, 89),
    (23, 89), (23, 79), (23, 79), (33, 75), (43, 59), (47, 47), (38, 49), (28, 57), (20, 51), (22, 42), (31, 29), (38, 13),
]
# fmt: on
OTHER = {
    "turned": {
        "R": "M26 20h10v7h8v-7h12v7h8v-7h10v14l-8 7q0 22 5 31h4v8h5v9h-60v-9h5v-8h4q5-9 5-31l-8-7z",
        "Q": "M24 27l9 13 5-20 8 17 4-21 4 21 8-17 5 20 9-13-8 34q-1 8 4 11h3v8h5v9h-60v-9h5v-8h3q5-3 4-11z",
    },
    "cut": {
        "R": "M26 20h10v8h8v-8h12v8h8v-8h10v18h-8l4 34h6v17h-52v-17h6l4-34h-8z",
        "Q": "M22 24l12 18 4-24 12 22 12-22 4 24 12-18-8 40 4 12h5v13h-58v-13h5l4-12z",
    },
}

# Widths of the brush: across, down, and where it lands and leaves.
ACROSS, DOWN, LAND, LEAVE = 7.0, 8.6, 9.4, 3.2


def across(left: float, right: float, y: float) -> Stroke:
    """A horizontal stroke; it rises a little, as a hand does."""
    return [(left, y + 0.8, ACROSS), (right, y - 0.8, ACROSS + 0.6)]


def down(x: float, top: float, bottom: float) -> Stroke:
    """A vertical stroke."""
    return [(x, top, DOWN), (x, bottom, DOWN)]


def falling(*points: tuple[float, float]) -> Stroke:
    """A stroke that grows thin: it falls to the left."""
    last = len(points) - 1
    return [(x, y, LAND + (LEAVE - LAND) * (n / last) ** 1.3) for n, (x, y) in enumerate(points)]


def pressing(*points: tuple[float, float]) -> Stroke:
    """A stroke that grows thick: it falls to the right, or is a dot."""
    last = len(points) - 1
    return [(x, y, LEAVE + 1 + (LAND - LEAVE) * (n / last) ** 0.8) for n, (x, y) in enumerate(points)]


def corner(left: float, top: float, right: float, bottom: float) -> list[Stroke]:
    """The stroke that goes across and then down."""
    return [across(left, right, top), down(right, top - 0.5, bottom)]


def hook(x: float, y: float, size: float = 10) -> Stroke:
    """The flick to the left that ends a stroke downwards."""
    return [(x, y, DOWN), (x - size * 0.5, y - 1.2, 6.4), (x - size, y - size * 0.45, LEAVE)]


def box(left: float, top: float, right: float, bottom: float, *between: float) -> list[Stroke]:
    """A box, with strokes across it."""
    inner = [across(left, right, y) for y in between]
    return [down(left, top, bottom), *corner(left, top, right, bottom), across(left, right, bottom), *inner]


def placed(strokes: Sequence[Stroke], left: float, right: float) -> list[Stroke]:
    """The strokes of a whole character, moved together to stand between `left` and `right`."""
    scale = (right - left) / 100
    return [[(left + x * scale, y, width * 0.94) for x, y, width in stroke] for stroke in strokes]


PERSON = [falling((28, 4), (20, 25), (4, 47)), down(18, 32, 97)]
CHARIOT = [across(13, 87, 15), *box(24, 29, 76, 62, 45.5), across(3, 97, 78), down(50, 3, 98)]
HORSE = [
    down(22, 8, 62), across(22, 80, 9), across(22, 76, 27), across(22, 76, 44.5), down(50, 9, 62),
    across(22, 84, 62), [(84, 61, DOWN), (83.5, 78, DOWN), (80, 93, DOWN)], hook(80, 93, 13),
    falling((15, 72), (12, 84), (5, 95)), pressing((31, 73), (33, 80), (36, 89)),
    pressing((47, 72), (49, 79), (52, 87)), pressing((62, 71), (64.5, 77), (68, 84)),
]  # fmt: skip
SCHOLAR = [down(50, 4, 91), across(3, 97, 37), across(17, 83, 91)]
WRAP = [
    falling((62, 3), (56, 20), (44, 38)), across(58, 93, 20.5),
    [(93, 20, DOWN), (92.5, 42, DOWN), (90, 62, DOWN)], hook(90, 62, 11), *corner(56, 38, 76, 57),
    across(56, 76, 57), [(56, 38, DOWN), (56, 68, DOWN), (56, 83, DOWN)],
    [(56, 82, DOWN), (58.5, 92, DOWN), (68, 94, DOWN), (86, 94, DOWN), (94, 92, DOWN)],
    [(94, 92, DOWN), (96, 86, 6), (96.5, 77, LEAVE)],
]  # fmt: skip

CHARACTERS: dict[str, list[Stroke]] = {
    # 帥 仕 相 俥 傌 炮 兵
    "K": [
        falling((26, 2), (23, 9), (17, 17)), down(10, 17, 93), *corner(10, 17, 41, 46), across(10, 41, 46),
        *corner(10, 62, 43, 91), across(10, 43, 91), down(56, 25, 82), *corner(56, 26, 92, 76), hook(92, 76, 11),
        down(74, 3, 98),
    ],
    "A": [*placed(PERSON, 0, 100), *placed(SCHOLAR, 32, 99)],
    "B": [
        across(2, 48, 27), down(26, 3, 98), falling((25, 30), (18, 50), (3, 74)),
        pressing((29, 42), (37, 50), (46, 61)), *box(59, 12, 91, 91, 38, 64),
    ],
    "R": [*placed(PERSON, 0, 92), *placed(CHARIOT, 29, 100)],
    "N": [*placed(PERSON, 0, 92), *placed(HORSE, 22, 106)],
    "C": [
        pressing((8, 28), (11, 36), (14, 48)), falling((43, 25), (39, 36), (34, 44)),
        falling((25, 4), (25, 34), (20, 62), (3, 94)), pressing((26, 57), (34, 66), (42, 80)), *placed(WRAP, 2, 100),
    ],
    "P": [
        falling((68, 4), (52, 12), (30, 17)), down(29, 16, 62), across(29, 72, 37), down(61, 37, 62),
        across(3, 97, 62), falling((38, 71), (28, 84), (11, 97)), pressing((60, 71), (74, 82), (88, 96)),
    ],
    # 將 士 象 車 馬 砲 卒
    "k": [
        down(33, 4, 97), down(11, 12, 39), across(11, 33, 39), across(3, 33, 62), falling((17, 63), (14, 78), (3, 95)),
        falling((60, 2), (54, 18), (43, 32)), across(58, 90, 15),
        falling((90, 14), (82, 30), (66, 43), (44, 52)), pressing((56, 25), (60, 29), (63, 34)),
        pressing((70, 20), (74, 24), (77, 29)), across(40, 98, 62), [(79, 48, DOWN), (79, 94, DOWN)],
        hook(79, 94, 13), pressing((51, 70), (56, 76), (61, 85)),
    ],
    "a": SCHOLAR,
    "b": [
        falling((40, 1), (30, 14), (13, 26)), across(37, 66, 11), falling((66, 11), (61, 18), (54, 25)),
        *box(20, 26, 80, 46), down(49, 26, 44), falling((50, 46), (34, 58), (7, 66)),
        [(37, 55, 5), (52, 63, 7.4), (60, 74, DOWN), (58, 90, DOWN), (53, 95, DOWN)],
        [(53, 95, DOWN), (48, 94, 6), (41, 90, LEAVE)], falling((53, 64), (36, 76), (9, 83)),
        falling((58, 75), (40, 89), (11, 99)), falling((87, 50), (77, 57), (62, 63)),
        pressing((62, 60), (74, 78), (96, 93)),
    ],
    "r": CHARIOT,
    "n": HORSE,
    "c": [
        across(2, 45, 15), falling((25, 15), (18, 38), (2, 62)), *box(15, 50, 40, 86), *placed(WRAP, 2, 100),
    ],
    "p": [
        pressing((47, 2), (50, 6), (53, 12)), across(9, 91, 18), falling((33, 21), (26, 38), (9, 54)),
        pressing((32, 37), (38, 42), (45, 50)), falling((68, 21), (63, 36), (50, 52)),
        pressing((67, 37), (76, 43), (88, 52)), across(3, 97, 66), down(50, 55, 98),
    ],
}  # fmt: skip

BAR, STEM = 10.0, 12.5


def letter(*lines: Sequence[tuple[float, float]], width: float = STEM) -> list[Stroke]:
    """Strokes of one width."""
    return [[(x, y, width) for x, y in line] for line in lines]


LETTERS: dict[str, list[Stroke]] = {
    "K": letter([(24, 10), (24, 90)], [(78, 10), (26, 58)], [(44, 43), (80, 90)]),
    "A": letter([(50, 10), (16, 90)], [(50, 10), (84, 90)], [(29, 62), (71, 62)]),
    "B": letter([(26, 10), (26, 90)], [(26, 12), (76, 12)], [(26, 50), (68, 50)], [(26, 88), (76, 88)]),
    "R": letter(
        [(24, 10), (24, 90)],
        [(24, 12), (52, 12), (66, 17), (72, 32), (66, 47), (52, 52), (24, 52)],
        [(50, 53), (76, 90)],
    ),
    "N": letter([(20, 10), (20, 90)], [(80, 10), (80, 90)], [(20, 50), (80, 50)]),
    "C": letter([(80, 25), (68, 13), (51, 9), (32, 15), (19, 32), (16, 50), (19, 68), (32, 85), (51, 91), (68, 87),
                 (80, 75)]),
    "P": letter([(26, 10), (26, 90)], [(26, 12), (54, 12), (70, 18), (76, 33), (70, 48), (54, 54), (26, 54)]),
}  # fmt: skip


def outline(stroke: Stroke) -> str:
    """The outline of one stroke as path data: both sides of its centre line, and round ends."""
    line = smooth(stroke)
    sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for n, (x, y, width) in enumerate(line):
        before, after = line[max(n - 1, 0)], line[min(n + 1, len(line) - 1)]
        angle = math.atan2(after[1] - before[1], after[0] - before[0])
        aside = (math.sin(angle) * width / 2, -math.cos(angle) * width / 2)
        sides[0].append((x + aside[0], y + aside[1]))
        sides[1].append((x - aside[0], y - aside[1]))
    there, back = (
        "L".join(f"{number(x)} {number(y)}" for x, y in side) for side in (sides[0], sides[1][::-1])
    )
    start, end = (number(each[2] / 2) for each in (line[0], line[-1]))
    return f"M{there}A{end} {end} 0 0 1 {back}A{start} {start} 0 0 1 {there.partition('L')[0]}z"


def smooth(stroke: Stroke, steps: int = 5) -> Stroke:
    """The stroke with points between its own, on a Catmull-Rom curve."""
    if len(stroke) == 2:
        return stroke
    points = [stroke[0], *stroke, stroke[-1]]
    line = [
        tuple(_between(*(p[axis] for p in points[n : n + 4]), step / steps) for axis in range(3))
        for n in range(len(points) - 3)
        for step in range(steps)
    ]
    return [*((x, y, width) for x, y, width in line), stroke[-1]]


def _between(a: float, b: float, c: float, d: float, t: float) -> float:
    return b + 0.5 * t * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)))


def number(value: float) -> str:
    """A coordinate with one digit behind the point, as short as it goes."""
    return f"{value:.1f}".removesuffix(".0")


def lathe(profile: Profile, *, is_round: bool) -> str:
    """The outline of a figure with a profile, on the foot that all have."""
    sides = [[(50 + turn * width, height, 0.0) for height, width in profile] for turn in (1, -1)]
    right, left = (list(smooth(side)) if is_round else side for side in sides)
    foot = [(75, 80, 0), (75, 89, 0), (25, 89, 0), (25, 80, 0)]
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y, _ in [*right, *foot, *reversed(left)]) + "z"


def figures() -> dict[str, dict[str, list[list[str]]]]:
    """The turned and the cut set of chess."""
    sets = {}
    for name, profiles in (("turned", TURNED), ("cut", CUT)):
        is_round = name == "turned"
        horse = [(x, y, 0.0) for x, y in KNIGHT]
        points = smooth(horse) if is_round else horse
        knight = "M" + "L".join(f"{number(x)} {number(y)}" for x, y, _ in points) + "z"
        parts = {
            letter: [["body", lathe(profile, is_round=is_round)]] for letter, profile in profiles.items()
        }
        parts["K"].insert(0, ["body", CROSS])
        parts |= {letter: [["body", path]] for letter, path in OTHER[name].items()}
        parts["N"] = [["body", knight], ["mark", "M38 31a2.6 2.6 0 1 0 .01 0z"]]
        if is_round:
            parts["B"].append(["line", "M56 26l-9 14"])
            for letter in parts:
                parts[letter].append(["line", "M30 80h40"])
        sets[name] = parts
    return sets


def drawn() -> dict[str, dict[str, list[list[str]]]]:
    """All pieces: set, letter (lower case: the second side's own form), parts of [kind, path data]."""
    glyphs = {"chinese": CHARACTERS, "latin": LETTERS}
    return {
        "chess": {name: [[kind, path] for kind, path in parts] for name, parts in CHESS.items()},
        **figures(),
        **{
            kind: {name: [["glyph", "".join(map(outline, strokes))]] for name, strokes in glyph.items()}
            for kind, glyph in glyphs.items()
        },
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(drawn(), indent=1) + "\n", encoding="utf-8")
