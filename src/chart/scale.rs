//! Scales: where a value stands between the two ends of an axis.

/// A scale of an axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Equal differences are equally far apart.
    Linear {
        /// The value at the axis's beginning.
        from: f64,
        /// The value at its end.
        to: f64,
    },
    /// Equal ratios are equally far apart, whatever the base.
    Log {
        /// The value at the axis's beginning, above 0.
        from: f64,
        /// The value at its end, above 0.
        to: f64,
    },
}

impl Scale {
    /// A linear scale from 0 to this value.
    pub fn zero_to(to: f64) -> Self {
        Self::Linear { from: 0.0, to }
    }

    /// A logarithmic scale over these values with `margin` (a share of the axis's length) free at
    /// both ends; values that are not finite or not above 0 are passed over. `None` where no value
    /// is left. A single value is given a factor of two on both sides.
    pub fn log_over(values: impl IntoIterator<Item = f64>, margin: f64) -> Option<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for value in values.into_iter().filter(|v| is_on_log(*v)) {
            low = low.min(value);
            high = high.max(value);
        }
        if low > high {
            return None;
        }
        let (mut from, mut to) = (low.log10(), high.log10());
        if to - from < 1e-6 {
            (from, to) = (from - 2_f64.log10(), to + 2_f64.log10());
        }
        // The largest and smallest doubles have a power of ten each.
        let more = (to - from) * margin / (1.0 - 2.0 * margin);
        Some(Self::Log {
            from: 10_f64.powf((from - more).max(-307.0)),
            to: 10_f64.powf((to + more).min(308.0)),
        })
    }

    /// Where the value stands, from 0 at the beginning to 1 at the end; beyond these for values
    /// beyond the ends, 0.5 on a scale without length. `None` for what the scale has no place for:
    /// what is not finite, and on a logarithmic scale what is not above 0.
    pub fn place(self, value: f64) -> Option<f64> {
        let place = match self {
            Self::Linear { from, to } => between(from, to, value),
            Self::Log { from, to } if is_on_log(value) => {
                between(from.log10(), to.log10(), value.log10())
            }
            Self::Log { .. } => return None,
        };
        place.is_finite().then_some(place)
    }

    /// Where the value stands in units of the picture, between `begin` and `end`.
    pub fn at(self, value: f64, begin: f64, end: f64) -> Option<f64> {
        self.place(value)
            .map(|place| begin + place * (end - begin))
            .filter(|at| at.is_finite())
    }
}

/// Whether a logarithmic scale has a place for it.
pub fn is_on_log(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

fn between(from: f64, to: f64, value: f64) -> f64 {
    if from == to {
        0.5
    } else {
        // Halves, since the difference of two large doubles may be none.
        (value / 2.0 - from / 2.0) / (to / 2.0 - from / 2.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_scales_begin_at_zero() {
        let scale = Scale::zero_to(200.0);
        assert_eq!(scale.at(0.0, 10.0, 110.0), Some(10.0));
        assert_eq!(scale.at(50.0, 10.0, 110.0), Some(35.0));
        // Upside down, as y axes are.
        assert_eq!(scale.at(50.0, 110.0, 10.0), Some(85.0));
        assert_eq!(scale.place(f64::NAN), None);
        assert_eq!(scale.place(f64::INFINITY), None);
    }

    #[test]
    fn equal_ratios_are_equally_far_apart() {
        let scale = Scale::Log {
            from: 1.0,
            to: 128.0,
        };
        let places: Vec<f64> = (0..8)
            .map(|i| scale.place(f64::from(1 << i)).unwrap() * 7.0)
            .collect();
        for (i, place) in places.iter().enumerate() {
            assert!((place - i as f64).abs() < 1e-12, "{places:?}");
        }
        assert_eq!(scale.place(0.0), None);
        assert_eq!(scale.place(-1.0), None);
    }

    #[test]
    fn a_margin_is_a_share_of_the_axis() {
        let scale = Scale::log_over([10.0, f64::NAN, 1000.0, 0.0], 0.1).unwrap();
        assert!((scale.place(10.0).unwrap() - 0.1).abs() < 1e-12);
        assert!((scale.place(1000.0).unwrap() - 0.9).abs() < 1e-12);
        assert_eq!(Scale::log_over([0.0, -1.0, f64::INFINITY], 0.1), None);
        let one = Scale::log_over([7.0, 7.0], 0.05).unwrap();
        assert!((one.place(7.0).unwrap() - 0.5).abs() < 1e-12);
    }

    #[test]
    fn the_largest_and_the_smallest_doubles_have_a_place() {
        let all = [f64::MIN_POSITIVE, 5e-324, 1.0, f64::MAX];
        let scale = Scale::log_over(all, 0.05).unwrap();
        for value in all {
            assert!(scale.place(value).unwrap().abs() < 2.0, "{value}");
        }
        assert_eq!(Scale::zero_to(f64::MAX).place(f64::MAX), Some(1.0));
        let level = Scale::Log { from: 8.0, to: 8.0 };
        assert_eq!(level.place(8.0), Some(0.5));
    }
}
