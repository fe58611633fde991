"""Elo difference with its error, and sequential tests (SPRT), from the results of a match.

Openings are played twice with colours swapped, so the unit is the *pair*. Its five possible results (the
pentanomial) have less variance than those of single games, because both players get the same opening. Games
without a partner count as single wins, draws and losses.

Source: the interval of Elo has the ends of the one of the mean score; the SPRT by the generalised likelihood
ratio with exact maximum likelihood under a fixed mean (Van den Bergh, "Comments on Normalized Elo", and the
programs fishtest and fastchess, whose published figures the tests compare with).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from bookbuilder.ratios import CONFIDENCE_Z

# Replaces a count of 0, which has no logarithm; the number that fishtest uses.
_LEAST_COUNT: Final = 1e-3


@dataclass(frozen=True, slots=True)
class EloEstimate:
    """How much stronger the first player is; the last three are NaN if all pairs ended alike.

    Equal results show no variance, so there is no interval, however many they are.
    """

    score: float  # its mean score, 0 … 1
    elo: float  # the difference in Elo, infinite if every game was won or lost
    low: float  # lower end of the 95 % interval
    high: float  # upper end of the interval
    los: float  # likelihood of superiority: the probability that the first player is stronger


@dataclass(frozen=True, slots=True)
class Sprt:
    """A sequential probability ratio test: is the difference `elo0`, or `elo1`?"""

    elo0: float  # the difference of the null hypothesis
    elo1: float  # the difference of the alternative
    alpha: float = 0.05  # probability of accepting `elo1` if `elo0` is true
    beta: float = 0.05  # probability of accepting `elo0` if `elo1` is true


@dataclass(frozen=True, slots=True)
class SprtState:
    """The state of a test."""

    llr: float  # log-likelihood ratio of `elo1` against `elo0`
    low: float  # at or below it `elo0` is accepted
    high: float  # at or above it `elo1` is accepted
    decision: Literal["elo0", "elo1"] | None  # the accepted difference; None: the test goes on


def _scores(counts: Sequence[int]) -> list[float]:
    """Return the score that each count is of, as a share of all points of a game or a pair."""
    return [points / (len(counts) - 1) for points in range(len(counts))]


def expected_score(elo: float) -> float:
    """Return the expected score of a player who is stronger by this difference."""
    return 1 / (1 + 10 ** (-elo / 400))


def estimate_elo(counts: Sequence[int]) -> EloEstimate | None:
    """Return the estimate of the Elo difference; None without results.

    Args:
        counts: losses, draws, wins of the first player; or pairs by their points, 0, ½, 1, 1½, 2.
    """
    scores, total = _scores(counts), sum(counts)
    if total == 0:
        return None
    score = sum(n * s for n, s in zip(counts, scores, strict=True)) / total
    variance = sum(n * (s - score) ** 2 for n, s in zip(counts, scores, strict=True)) / total
    error = math.sqrt(variance / total)
    low = high = los = math.nan
    if max(counts) < total:
        low, high = _elo(score - CONFIDENCE_Z * error), _elo(score + CONFIDENCE_Z * error)
        los = 0.5 * (1 + math.erf((score - 0.5) / (error * math.sqrt(2))))
    return EloEstimate(score=score, elo=_elo(score), low=low, high=high, los=los)


def _elo(score: float) -> float:
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    # An even score gives +0.0, not -0.0.
    return 0.0 - 400 * math.log10(1 / score - 1)


def sprt_state(test: Sprt, counts: Sequence[int]) -> SprtState:
    """Return the state of a test after these results."""
    scores, llr = _scores(counts), 0.0
    low, high = math.log(test.beta / (1 - test.alpha)), math.log((1 - test.beta) / test.alpha)
    if sum(counts) > 0:
        kept = [max(float(n), _LEAST_COUNT) for n in counts]
        total = sum(kept)
        shares = [n / total for n in kept]
        under0 = _likeliest(shares, scores, expected_score(test.elo0))
        under1 = _likeliest(shares, scores, expected_score(test.elo1))
        llr = total * sum(p * math.log(p1 / p0) for p, p0, p1 in zip(shares, under0, under1, strict=True))
    decided: Literal["elo0", "elo1"] | None = "elo0" if llr <= low else "elo1" if llr >= high else None
    return SprtState(llr=llr, low=low, high=high, decision=decided)


def _likeliest(shares: Sequence[float], scores: Sequence[float], mean: float) -> list[float]:
    """The distribution with this mean that makes results with these shares most likely.

    It is p / (1 + x (s - mean)) for the x that gives this mean. The excess over the mean falls as x grows, so
    x is found by bisection.
    """
    low, high = -1 / (scores[-1] - mean), 1 / (mean - scores[0])
    for _ in range(200):
        x = (low + high) / 2
        excess = sum(p * (s - mean) / (1 + x * (s - mean)) for p, s in zip(shares, scores, strict=True))
        low, high = (x, high) if excess > 0 else (low, x)
    x = (low + high) / 2
    return [p / (1 + x * (s - mean)) for p, s in zip(shares, scores, strict=True)]
