//! The frontier of points of which both figures are better when they are higher.

/// The points that no other is better than: a point is *dominated* where another is at least as
/// good in both figures and better in one. Equal points do not dominate each other, so all of them
/// are kept. Points with a figure that is no number are left out.
///
/// Gives places in `points`, by the first figure, then by place.
pub fn frontier(points: &[(f64, f64)]) -> Vec<usize> {
    let mut order: Vec<(usize, (f64, f64))> = points
        .iter()
        .copied()
        .enumerate()
        .filter(|(_, (x, y))| !x.is_nan() && !y.is_nan())
        .collect();
    // From the best first figure down, and among equal ones from the best second.
    order.sort_by(|(_, (ax, ay)), (_, (bx, by))| {
        let by_x = bx.partial_cmp(ax).unwrap_or(std::cmp::Ordering::Equal);
        by_x.then(by.partial_cmp(ay).unwrap_or(std::cmp::Ordering::Equal))
    });
    let mut kept: Vec<usize> = Vec::new();
    let mut best = f64::NEG_INFINITY;
    for of_one_x in order.chunk_by(|(_, (a, _)), (_, (b, _))| a == b) {
        let Some((_, (_, top))) = of_one_x.first() else {
            continue;
        };
        if kept.is_empty() || *top > best {
            best = *top;
            let mut equal: Vec<usize> = of_one_x
                .iter()
                .filter(|(_, (_, y))| y == top)
                .map(|(at, _)| *at)
                .collect();
            equal.reverse();
            kept.extend(equal);
        }
    }
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dominated_points_are_left_out_on_both_sides() {
        // Dominated by a point to the right, by one above, and by both.
        let points = [
            (1.0, 9.0),
            (1.0, 5.0),
            (3.0, 5.0),
            (2.0, 5.0),
            (2.0, 4.0),
            (6.0, 1.0),
            (6.0, 0.5),
        ];
        assert_eq!(frontier(&points), [0, 2, 5]);
    }

    #[test]
    fn one_point_none_and_equal_ones() {
        assert_eq!(frontier(&[]), [] as [usize; 0]);
        assert_eq!(frontier(&[(2.0, 2.0)]), [0]);
        assert_eq!(frontier(&[(2.0, 2.0), (1.0, 1.0), (2.0, 2.0)]), [0, 2]);
        assert_eq!(frontier(&[(1.0, 1.0), (1.0, 1.0), (2.0, 1.0)]), [2]);
        assert_eq!(frontier(&[(f64::NAN, 9.0), (1.0, 1.0)]), [1]);
        assert_eq!(frontier(&[(1.0, f64::NEG_INFINITY)]), [0]);
    }

    proptest! {
        /// Held against the definition, on a grid so coarse that ties are common.
        #[test]
        fn it_is_what_the_definition_says(
            points in prop::collection::vec((0u8..6, 0u8..6), 0..24)
        ) {
            let points: Vec<(f64, f64)> = points
                .into_iter()
                .map(|(x, y)| (f64::from(x), f64::from(y)))
                .collect();
            let dominates = |a: (f64, f64), b: (f64, f64)| {
                a.0 >= b.0 && a.1 >= b.1 && (a.0 > b.0 || a.1 > b.1)
            };
            let mut expected: Vec<usize> = (0..points.len())
                .filter(|at| !points.iter().any(|other| dominates(*other, points[*at])))
                .collect();
            expected.sort_by(|a, b| points[*a].0.total_cmp(&points[*b].0).then(a.cmp(b)));
            prop_assert_eq!(frontier(&points), expected);
        }
    }
}
