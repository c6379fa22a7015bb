//! Where labels may stand without covering each other.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// How wide a text is at most, in units of the picture, at this size of letters. Fonts are not
/// measured, since the page's font is the reader's: digits of the widest system fonts are 0.6 em
/// wide.
pub fn width(text: &str, size: f64) -> f64 {
    text.width() as f64 * size * 0.6
}

/// A name in one line of at most so many columns, with "…" where it was cut.
pub fn short(text: &str, columns: usize) -> String {
    let text = crate::render::xml::one_line(text);
    if text.width() <= columns {
        return text;
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > columns {
            break;
        }
        out.push(c);
    }
    // Marks without a width could go on for ever.
    if out.chars().count() > 2 * columns {
        out = out.chars().take(columns).collect();
    }
    out.push('…');
    out
}

/// Moves places on a line apart until each is at least `gap` from the next, as little as possible
/// (least squares), and none is outside `from..=to`; their order stays, that of equal ones too.
/// Where there is no room for the gap, they stand as far apart as there is.
pub fn spread(wanted: &[f64], gap: f64, from: f64, to: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    let want = |at: usize| wanted.get(at).copied().unwrap_or(from);
    order.sort_by(|a, b| want(*a).total_cmp(&want(*b)).then(a.cmp(b)));
    let between = wanted.len().saturating_sub(1) as f64;
    let gap = if between * gap > to - from {
        (to - from) / between
    } else {
        gap
    };
    // Without the gaps the places need only not fall: groups that would are put at their mean.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (i, at) in order.iter().enumerate() {
        let mut group = (want(*at) - i as f64 * gap, 1_usize);
        while let Some((mean, n)) = groups.pop() {
            if mean <= group.0 {
                groups.push((mean, n));
                break;
            }
            let all = n + group.1;
            group = (
                (mean * n as f64 + group.0 * group.1 as f64) / all as f64,
                all,
            );
        }
        groups.push(group);
    }
    let last = (to - between * gap).max(from);
    let placed = groups
        .into_iter()
        .flat_map(|(mean, n)| std::iter::repeat_n(mean.clamp(from, last), n));
    let mut out = wanted.to_vec();
    for (i, (at, place)) in order.into_iter().zip(placed).enumerate() {
        if let Some(entry) = out.get_mut(at) {
            *entry = place + i as f64 * gap;
        }
    }
    out
}

/// Which of the names on an axis have room, given their places in rising order and their widths:
/// the last, the first, and from there each that keeps `gap` from its neighbours.
pub fn with_room(places: &[(f64, f64)], gap: f64) -> Vec<bool> {
    let mut kept = vec![false; places.len()];
    let Some((last_at, last_width)) = places.last().copied() else {
        return kept;
    };
    let apart = |(a, a_width): (f64, f64), (b, b_width): (f64, f64)| {
        b - a >= (a_width + b_width) / 2.0 + gap
    };
    let mut before: Option<(f64, f64)> = None;
    for (keep, place) in kept.iter_mut().zip(places) {
        let room_before = before.is_none_or(|before| apart(before, *place));
        if room_before && apart(*place, (last_at, last_width)) {
            *keep = true;
            before = Some(*place);
        }
    }
    if let Some(keep) = kept.last_mut() {
        *keep = true;
    }
    kept
}

/// A rectangle in the picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rect {
    /// Its left edge.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Its width.
    pub w: f64,
    /// Its height.
    pub h: f64,
}

impl Rect {
    /// The square around a place.
    pub fn around(x: f64, y: f64, radius: f64) -> Self {
        Self {
            x: x - radius,
            y: y - radius,
            w: 2.0 * radius,
            h: 2.0 * radius,
        }
    }

    /// Whether the two have more than an edge in common.
    pub fn meets(self, other: Self) -> bool {
        self.x < other.x + other.w
            && other.x < self.x + self.w
            && self.y < other.y + other.h
            && other.y < self.y + self.h
    }

    /// Whether it lies wholly in the other.
    pub fn is_in(self, other: Self) -> bool {
        self.x >= other.x
            && self.y >= other.y
            && self.x + self.w <= other.x + other.w
            && self.y + self.h <= other.y + other.h
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_apart_stays() {
        assert_eq!(spread(&[10.0, 40.0], 15.0, 0.0, 100.0), [10.0, 40.0]);
        assert_eq!(spread(&[40.0, 10.0], 15.0, 0.0, 100.0), [40.0, 10.0]);
        assert_eq!(spread(&[], 15.0, 0.0, 100.0), [] as [f64; 0]);
    }

    #[test]
    fn what_is_too_near_is_moved_both_ways() {
        assert_eq!(spread(&[50.0, 50.0], 10.0, 0.0, 100.0), [45.0, 55.0]);
        assert_eq!(
            spread(&[0.0, 1.0, 99.0], 10.0, 0.0, 100.0),
            [0.0, 10.0, 99.0]
        );
        // No room: as far apart as there is.
        assert_eq!(
            spread(&[5.0, 5.0, 5.0], 80.0, 0.0, 100.0),
            [0.0, 50.0, 100.0]
        );
    }

    #[test]
    fn the_last_name_has_room_always() {
        let kept = with_room(
            &[(0.0, 10.0), (12.0, 10.0), (30.0, 10.0), (36.0, 10.0)],
            4.0,
        );
        assert_eq!(kept, [true, false, false, true]);
        assert_eq!(with_room(&[(5.0, 90.0)], 4.0), [true]);
        assert_eq!(with_room(&[], 4.0), [] as [bool; 0]);
    }

    #[test]
    fn names_are_cut_to_columns() {
        assert_eq!(short("251K", 10), "251K");
        assert_eq!(short("a\nb\u{7}c", 10), "a bc");
        assert_eq!(short("東京東京東京", 8), "東京東…");
        assert!(short(&"\u{301}".repeat(500), 8).chars().count() <= 500);
        assert!(
            short(&format!("long name{}", "\u{301}".repeat(500)), 8)
                .chars()
                .count()
                <= 20
        );
    }

    #[test]
    fn rectangles_that_only_touch_do_not_meet() {
        let a = Rect::around(0.0, 0.0, 5.0);
        assert!(a.meets(Rect::around(9.0, 9.0, 5.0)));
        assert!(!a.meets(Rect::around(10.0, 0.0, 5.0)));
        assert!(a.is_in(Rect::around(0.0, 0.0, 6.0)));
        assert!(!a.is_in(Rect::around(2.0, 0.0, 6.0)));
    }

    proptest! {
        #[test]
        fn spread_keeps_gap_bounds_and_order(
            wanted in prop::collection::vec(-20.0..120.0f64, 0..12),
            gap in 0.0..30.0f64,
        ) {
            let placed = spread(&wanted, gap, 0.0, 100.0);
            prop_assert_eq!(placed.len(), wanted.len());
            let mut sorted = placed.clone();
            sorted.sort_by(f64::total_cmp);
            let room = gap.min(100.0 / (wanted.len().max(2) - 1) as f64);
            prop_assert!(sorted.windows(2).all(|p| p[1] - p[0] >= room - 1e-9));
            prop_assert!(placed.iter().all(|y| (-1e-9..=100.0 + 1e-9).contains(y)));
            for (i, a) in wanted.iter().enumerate() {
                for (j, b) in wanted.iter().enumerate() {
                    prop_assert!(a >= b || placed[i] <= placed[j] + 1e-9, "{i} {j}");
                }
            }
        }
    }
}
