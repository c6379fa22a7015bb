//! Two figures → their ratio, and what may be said of it.

use crate::run::Figure;
use crate::run::metric::Direction;

/// One of the two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first: what the other one is measured by.
    A,
    /// The second.
    B,
}

impl Side {
    /// "A" or "B".
    pub fn letter(self) -> &'static str {
        match self {
            Side::A => "A",
            Side::B => "B",
        }
    }

    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }
}

/// What B's figure is to A's, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Difference {
    /// B is clearly better: a higher rate, or a shorter time.
    Faster,
    /// B is clearly worse.
    Slower,
    /// B's figure is clearly higher, and higher is neither better nor worse.
    Higher,
    /// B's figure is clearly lower, and lower is neither better nor worse.
    Lower,
    /// Inside the noise band, or the two roundings may hide one number.
    Unclear,
}

impl Difference {
    /// Word of `comparison.json`.
    pub fn key(self) -> &'static str {
        match self {
            Difference::Faster => "faster",
            Difference::Slower => "slower",
            Difference::Higher => "higher",
            Difference::Lower => "lower",
            Difference::Unclear => "no_clear_difference",
        }
    }

    /// Words of the page, said of B.
    pub fn words(self) -> &'static str {
        match self {
            Difference::Unclear => "no clear difference",
            other => other.key(),
        }
    }

    /// The run that is faster, where one is.
    pub fn faster(self) -> Option<Side> {
        match self {
            Difference::Faster => Some(Side::B),
            Difference::Slower => Some(Side::A),
            Difference::Higher | Difference::Lower | Difference::Unclear => None,
        }
    }

    /// The same said of A.
    #[must_use]
    pub fn mirrored(self) -> Self {
        match self {
            Difference::Faster => Difference::Slower,
            Difference::Slower => Difference::Faster,
            Difference::Higher => Difference::Lower,
            Difference::Lower => Difference::Higher,
            Difference::Unclear => Difference::Unclear,
        }
    }
}

/// B ÷ A of two positive figures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ratio {
    /// B ÷ A.
    pub value: f64,
    /// ln B − ln A; exchanging the sides changes its sign and nothing else.
    pub ln: f64,
    /// What may be said of it.
    pub difference: Difference,
}

/// The ratio of two figures; `None` where one is not a positive number or the ratio is beyond what
/// a double holds, so that nothing is ever "∞ times faster".
///
/// There is no clear difference where |ln ratio| ≤ ln(1 + band), or where the intervals
/// value ± step / 2 overlap.
pub fn ratio(a: Figure, b: Figure, band: f64, direction: Direction) -> Option<Ratio> {
    let usable = |figure: Figure| figure.value.is_finite() && figure.value > 0.0;
    if !usable(a) || !usable(b) {
        return None;
    }
    let value = b.value / a.value;
    if !value.is_normal() || !(a.value / b.value).is_normal() {
        return None;
    }
    let difference = if within_band(a.value, b.value, band) || a.agrees_with(b) {
        Difference::Unclear
    } else {
        match (direction, b.value > a.value) {
            (Direction::Higher, true) | (Direction::Lower, false) => Difference::Faster,
            (Direction::Higher, false) | (Direction::Lower, true) => Difference::Slower,
            (Direction::Neutral, true) => Difference::Higher,
            (Direction::Neutral, false) => Difference::Lower,
        }
    };
    Some(Ratio {
        value,
        ln: b.value.ln() - a.value.ln(),
        difference,
    })
}

/// |ln (b ÷ a)| ≤ ln(1 + band), asked in a way that does not depend on which is which. The slack is
/// far below any step.
fn within_band(a: f64, b: f64, band: f64) -> bool {
    a.max(b) / a.min(b) <= (1.0 + band) * (1.0 + 1e-12)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(a: Figure, b: Figure) -> Option<(f64, Difference)> {
        ratio(a, b, 0.07, Direction::Higher).map(|r| (r.value, r.difference))
    }

    #[test]
    fn the_band_holds_its_edge_on_both_sides() {
        let exact = Figure::exact;
        assert_eq!(
            of(exact(100.0), exact(107.0)),
            Some((1.07, Difference::Unclear))
        );
        assert_eq!(
            of(exact(107.0), exact(100.0)).unwrap().1,
            Difference::Unclear
        );
        assert_eq!(
            of(exact(100.0), exact(107.1)).unwrap().1,
            Difference::Faster
        );
        assert_eq!(
            of(exact(107.1), exact(100.0)).unwrap().1,
            Difference::Slower
        );
    }

    #[test]
    fn roundings_that_may_hide_one_number_are_no_difference() {
        // 1 and 2 in steps of 1: both may be 1.5.
        let (a, b) = (Figure::rounded(1.0, 1.0), Figure::rounded(2.0, 1.0));
        assert_eq!(of(a, b), Some((2.0, Difference::Unclear)));
        assert_eq!(
            of(a, Figure::rounded(3.0, 1.0)),
            Some((3.0, Difference::Faster))
        );
    }

    #[test]
    fn less_is_faster_for_times_and_neither_for_circumstances() {
        let (a, b) = (Figure::exact(2.0), Figure::exact(1.0));
        let of = |direction| ratio(a, b, 0.07, direction).unwrap().difference;
        assert_eq!(of(Direction::Lower), Difference::Faster);
        assert_eq!(of(Direction::Higher), Difference::Slower);
        assert_eq!(of(Direction::Neutral), Difference::Lower);
    }

    #[test]
    fn nothing_is_infinitely_faster() {
        for (a, b) in [
            (0.0, 1.0),
            (1.0, 0.0),
            (0.0, 0.0),
            (-1.0, 1.0),
            (f64::NAN, 1.0),
            (1.0, f64::INFINITY),
            (1e-320, 1e300),
            (1e300, 1e-300),
        ] {
            assert_eq!(of(Figure::exact(a), Figure::exact(b)), None, "{a} {b}");
        }
    }
}
