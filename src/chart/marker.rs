//! The shapes of points: what tells lines apart where colours do not (print, grey, colour-blind
//! readers).

use super::svg::unit;

/// The shape of a line's points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A square on its corner.
    Diamond,
    /// A triangle on its side.
    Up,
    /// A triangle on its corner.
    Down,
    /// A six-sided figure.
    Hexagon,
    /// Three strokes through one point; the line's own shape is not shown then.
    Star,
}

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// A class that gives the colour: "l1" to "l8", or another of the stylesheet.
    pub class: &'static str,
    /// A class that gives the dashes; empty for a whole line.
    pub dash: &'static str,
    /// The shape of its points.
    pub marker: Marker,
}

const SHAPES: [Marker; 6] = [
    Marker::Circle,
    Marker::Square,
    Marker::Diamond,
    Marker::Up,
    Marker::Down,
    Marker::Hexagon,
];

const CLASSES: [&str; 8] = ["l1", "l2", "l3", "l4", "l5", "l6", "l7", "l8"];

impl Look {
    /// The look of line `at` of `count`: colours from the first class to the last, shapes in turn,
    /// then the same shapes with dashes.
    pub fn of(at: usize, count: usize) -> Self {
        let last = CLASSES.len() - 1;
        let class = match count {
            // A line alone has a colour from the middle.
            0 | 1 => last.div_ceil(2),
            count => (at.min(count - 1) * last * 2 + (count - 1)) / (2 * (count - 1)),
        };
        Self {
            class: CLASSES.get(class).copied().unwrap_or("l8"),
            dash: match (at / SHAPES.len()) % 3 {
                0 => "",
                1 => "dash",
                _ => "dots",
            },
            marker: SHAPES
                .get(at % SHAPES.len())
                .copied()
                .unwrap_or(Marker::Circle),
        }
    }
}

impl Marker {
    /// The shape around a place, as the `d` of a path that begins there; all cover about the area
    /// of a disc with a radius of 3.6 units.
    pub fn path(self, x: f64, y: f64) -> String {
        let shape = match self {
            Self::Circle => "m-3.6 0a3.6 3.6 0 1 0 7.2 0a3.6 3.6 0 1 0-7.2 0z",
            Self::Square => "m-3.2-3.2h6.4v6.4h-6.4z",
            Self::Diamond => "m0-4.7l4.7 4.7-4.7 4.7-4.7-4.7z",
            Self::Up => "m0-5l4.4 7.6h-8.8z",
            Self::Down => "m0 5l4.4-7.6h-8.8z",
            Self::Hexagon => "m-4 0l2-3.5h4l2 3.5-2 3.5h-4z",
            Self::Star => "m0-5v10m-4.3-7.5l8.6 5m0-5l-8.6 5",
        };
        format!("M{} {}{shape}", unit(x), unit(y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_go_from_first_to_last() {
        let classes =
            |count| -> Vec<&str> { (0..count).map(|at| Look::of(at, count).class).collect() };
        assert_eq!(classes(1), ["l5"]);
        assert_eq!(classes(2), ["l1", "l8"]);
        assert_eq!(classes(8), CLASSES);
        let many = classes(20);
        assert_eq!((many[0], many[19]), ("l1", "l8"));
        assert!(many.windows(2).all(|pair| pair[0] <= pair[1]));
    }

    #[test]
    fn eighteen_lines_differ_without_colour() {
        let looks: Vec<(Marker, &str)> = (0..18)
            .map(|at| Look::of(at, 18))
            .map(|look| (look.marker, look.dash))
            .collect();
        for (i, a) in looks.iter().enumerate() {
            assert!(!looks[i + 1..].contains(a), "{a:?}");
        }
    }

    #[test]
    fn a_shape_begins_at_its_place() {
        for marker in SHAPES.into_iter().chain([Marker::Star]) {
            assert!(
                marker.path(10.25, 20.0).starts_with("M10.2 20m"),
                "{marker:?}"
            );
        }
    }
}
