//! Bars from left to right, each with its figure in words beside it.

use super::labels::{short, width};
use super::plot::{LETTERS, WIDTH};
use super::svg::{Svg, unit};

const ROW: f64 = 25.0;
const THICK: f64 = 15.0;
const TOP: f64 = 28.0;

/// A picture of bars.
#[derive(Clone, Debug, PartialEq)]
pub struct Bars {
    /// An id, once on its page.
    pub id: String,
    /// What it is.
    pub title: String,
    /// What can be seen in it, in words.
    pub description: String,
    /// What the bars' lengths are, with unit and direction.
    pub axis: String,
    /// The bars from above to below.
    pub bars: Vec<Bar>,
}

/// A bar.
#[derive(Clone, Debug, PartialEq)]
pub struct Bar {
    /// What it is for.
    pub name: String,
    /// Its length; `None` where there is no figure.
    pub value: Option<f64>,
    /// The figure in words.
    pub words: String,
    /// More words, set less strongly.
    pub more: String,
    /// The anchor of its measurement.
    pub cell: String,
    /// Whether the figure is not believed: drawn with its outline only, and no measure for others.
    pub doubted: bool,
}

impl Bars {
    /// The picture. Lengths begin at 0; the longest bar whose figure is believed fills the room,
    /// and a longer one that is doubted ends there, open.
    pub fn svg(&self) -> String {
        let height = TOP + ROW * self.bars.len() as f64 + 4.0;
        let widest = |texts: &mut dyn Iterator<Item = f64>| texts.fold(0.0, f64::max);
        let names: Vec<String> = self.bars.iter().map(|bar| short(&bar.name, 12)).collect();
        let left = widest(&mut names.iter().map(|name| width(name, LETTERS))) + 10.0;
        let beside = |bar: &Bar| {
            let gap = if bar.more.is_empty() { 0.0 } else { 8.0 };
            // Words are narrower than digits.
            width(&bar.words, LETTERS) + gap + width(&bar.more, LETTERS) * 0.93
        };
        let room = (WIDTH - left - widest(&mut self.bars.iter().map(beside)) - 10.0).max(60.0);
        let most = |doubted: bool| {
            widest(
                &mut self
                    .bars
                    .iter()
                    .filter(|bar| doubted || !bar.doubted)
                    .filter_map(|bar| bar.value),
            )
        };
        let longest = Some(most(false)).filter(|m| *m > 0.0).unwrap_or(most(true));
        let mut svg = Svg::new(&self.id, (WIDTH, height), &self.title, &self.description);
        svg.words("axis-name", (0.0, 15.0), &self.axis);
        svg.begin("g", &[("class", "bars")]);
        for (at, (bar, name)) in self.bars.iter().zip(&names).enumerate() {
            let y = TOP + ROW * at as f64;
            let base = y + THICK / 2.0 + 4.5;
            svg.words("end", (left - 8.0, base), name);
            let share = bar
                .value
                .filter(|_| longest > 0.0)
                .map(|value| (value / longest).clamp(0.0, 1.0));
            let end = left + share.unwrap_or(0.0) * room;
            if let Some(share) = share {
                let class = if bar.doubted {
                    "point bar doubted"
                } else {
                    "point bar"
                };
                let (x, y) = (unit(left), unit(y));
                let right = unit((share * room).max(1.0));
                let cut = bar.value.is_some_and(|value| value > longest);
                let d = if cut {
                    format!("M{} {y}h-{right}v{THICK}h{right}", unit(end))
                } else {
                    format!("M{x} {y}h{right}v{THICK}h-{right}z")
                };
                svg.titled(
                    "path",
                    &[("class", class), ("data-cell", &bar.cell), ("d", &d)],
                    &format!("{}: {} {}", bar.name, bar.words, bar.more),
                );
            }
            svg.begin("text", &[("x", &unit(end + 8.0)), ("y", &unit(base))]);
            svg.leaf("tspan", &[("class", "strong")], &bar.words);
            if !bar.more.is_empty() {
                svg.leaf("tspan", &[("dx", "8")], &bar.more);
            }
            svg.end();
        }
        svg.end();
        svg.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bar(name: &str, value: Option<f64>, doubted: bool) -> Bar {
        Bar {
            name: name.to_owned(),
            value,
            words: name.to_owned(),
            more: String::new(),
            cell: format!("p{name}"),
            doubted,
        }
    }

    fn lengths(bars: Vec<Bar>) -> Vec<String> {
        let svg = Bars {
            id: "b".to_owned(),
            title: String::new(),
            description: String::new(),
            axis: String::new(),
            bars,
        }
        .svg();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let paths = document.descendants().filter(|n| n.has_tag_name("path"));
        paths
            .map(|n| {
                n.attribute("d")
                    .unwrap()
                    .split('h')
                    .nth(1)
                    .unwrap()
                    .split('v')
                    .next()
                    .unwrap()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn a_doubted_rate_measures_no_other() {
        let believed = lengths(vec![
            bar("a", Some(10.0), false),
            bar("b", Some(5.0), false),
        ]);
        let doubted = lengths(vec![
            bar("a", Some(10.0), false),
            bar("b", Some(5.0), false),
            bar("c", Some(1e9), true),
            bar("d", None, false),
        ]);
        assert_eq!(doubted[..2], believed[..]);
        assert_eq!(doubted.len(), 3);
        assert_eq!(doubted[2], format!("-{}", believed[0]));
        // Alone, they are measured against each other.
        let alone = lengths(vec![bar("a", Some(10.0), true), bar("b", Some(5.0), true)]);
        assert_eq!(alone, believed);
    }
}
