//! A plot of lines: axes, points and the lines between them, from one run or from several on one
//! scale.

use super::labels::{Rect, short, spread, width, with_room};
use super::marker::{Look, Marker};
use super::scale::Scale;
use super::svg::{Svg, unit};
use super::ticks::name;

/// Width of a plot in units.
pub const WIDTH: f64 = 440.0;

/// Height of a plot in units, without its key.
pub const HEIGHT: f64 = 320.0;

/// Size of the largest letters that the stylesheet may set, in units: on a phone 440 units are 358
/// pixels wide, so these are 11.4 pixels high.
pub const LETTERS: f64 = 14.0;

/// Radius of points.
pub const RADIUS: f64 = 3.6;

const LINE_HEIGHT: f64 = 15.0;
const TOP: f64 = 32.0;
const BELOW: f64 = 50.0;
const GUTTER: f64 = 22.0;
const LONGEST_NAME: usize = 14;

/// More points than these are not labelled one by one.
const MOST_LABELLED: usize = 400;

/// A plot.
#[derive(Clone, Debug, PartialEq)]
pub struct Plot {
    /// An id, once on its page.
    pub id: String,
    /// What it is.
    pub title: String,
    /// What can be seen in it, in words.
    pub description: String,
    /// The axis from left to right.
    pub x: Axis,
    /// The axis from below to above.
    pub y: Axis,
    /// The lines.
    pub series: Vec<Series>,
    /// A line that is no measurement: its name and its points, cut where it leaves the plot.
    pub guide: Option<(String, Vec<(f64, f64)>)>,
    /// The points of a frontier, by x: drawn as the edge of what they are not worse than.
    pub frontier: Vec<(f64, f64)>,
    /// Whether names stand at the ends of lines; else they stand in a key below.
    pub names_at_ends: bool,
    /// Further names for which there must be room at the ends, so that pictures side by side have
    /// one axis.
    pub room: Vec<String>,
}

/// An axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// What it shows, with unit and direction.
    pub title: String,
    /// Its scale.
    pub scale: Scale,
    /// The values that it names, with their names, in rising order.
    pub ticks: Vec<(f64, String)>,
    /// Whether lines go through the plot at its ticks.
    pub grid: bool,
}

impl Axis {
    /// Ticks with their usual names.
    pub fn named(ticks: Vec<f64>) -> Vec<(f64, String)> {
        ticks.into_iter().map(|tick| (tick, name(tick))).collect()
    }
}

/// A line.
#[derive(Clone, Debug, PartialEq)]
pub struct Series {
    /// Its name: a context, or a run.
    pub name: String,
    /// How it looks.
    pub look: Look,
    /// Its points in their order; `None` breaks the line.
    pub points: Vec<Option<Point>>,
    /// A value of y that is marked at the left edge.
    pub mark: Option<Mark>,
}

/// A measured point.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Its place from left to right.
    pub x: f64,
    /// Its place from below to above.
    pub y: f64,
    /// The anchor of its measurement.
    pub cell: String,
    /// What it says where the pointer is.
    pub words: String,
    /// How it is drawn.
    pub kind: PointKind,
    /// A label beside it, where there is room; empty for none.
    pub label: String,
}

/// How a point is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointKind {
    /// As the line's shape.
    Full,
    /// The same, but hollow.
    Hollow,
    /// As a star.
    Star,
}

/// A value at the left edge.
#[derive(Clone, Debug, PartialEq)]
pub struct Mark {
    /// The value of y.
    pub y: f64,
    /// The anchor of its measurement.
    pub cell: String,
    /// What it says where the pointer is.
    pub words: String,
}

/// The edges of the part of the picture where points are.
struct Frame {
    left: f64,
    /// Where the scale from left to right begins; what is left of it is for marks.
    begin: f64,
    right: f64,
    top: f64,
    bottom: f64,
}

impl Plot {
    /// The picture. Points that a scale has no place for are left out, and break their line.
    pub fn svg(&self) -> String {
        let frame = self.frame();
        let key = if self.names_at_ends {
            Vec::new()
        } else {
            self.key()
        };
        let height = HEIGHT + 20.0 * key.len() as f64;
        let mut svg = Svg::new(&self.id, (WIDTH, height), &self.title, &self.description);
        self.axes(&mut svg, &frame);
        self.draw_frontier(&mut svg, &frame);
        let guide = self.draw_guide(&mut svg, &frame);
        for series in &self.series {
            self.draw_series(&mut svg, &frame, series);
        }
        self.point_labels(&mut svg, &frame);
        if self.names_at_ends {
            self.end_names(&mut svg, &frame, guide);
        }
        self.draw_key(&mut svg, &key);
        svg.finish()
    }

    fn frame(&self) -> Frame {
        let widest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| width(text, LETTERS)).fold(0.0, f64::max)
        };
        let left = widest(&mut self.y.ticks.iter().map(|(_, name)| name.as_str())) + 10.0;
        let names = self.series.iter().map(|s| &s.name).chain(&self.room);
        let names: Vec<String> = names.map(|name| shown(name)).collect();
        let right = if self.names_at_ends {
            widest(&mut names.iter().map(String::as_str)) + 14.0
        } else {
            let last = self.x.ticks.last().map_or("", |(_, name)| name.as_str());
            (width(last, LETTERS) / 2.0).max(10.0)
        };
        let left = left.clamp(24.0, 120.0);
        let has_marks = self.series.iter().any(|series| series.mark.is_some());
        Frame {
            left,
            begin: left + if has_marks { GUTTER } else { 0.0 },
            right: WIDTH - right.clamp(14.0, 140.0),
            top: TOP,
            bottom: HEIGHT - BELOW,
        }
    }

    fn place(&self, frame: &Frame, x: f64, y: f64) -> Option<(f64, f64)> {
        Some((frame.x(self.x.scale, x)?, frame.y(self.y.scale, y)?))
    }

    fn axes(&self, svg: &mut Svg, frame: &Frame) {
        let (left, right) = (unit(frame.left), unit(frame.right));
        let (top, bottom) = (unit(frame.top), unit(frame.bottom));
        svg.begin("g", &[("class", "axis")]);
        let mut grid = String::new();
        for (value, name) in &self.y.ticks {
            let Some(y) = frame.y(self.y.scale, *value) else {
                continue;
            };
            if self.y.grid {
                grid.push_str(&format!("M{left} {}H{right}", unit(y)));
            }
            svg.words("end", (frame.left - 7.0, y + 4.5), name);
        }
        let places: Vec<(f64, f64)> = self
            .x
            .ticks
            .iter()
            .filter_map(|(value, name)| {
                Some((frame.x(self.x.scale, *value)?, width(name, LETTERS)))
            })
            .collect();
        let room = with_room(&places, 6.0);
        for (((x, _), named), (_, name)) in places.iter().zip(room).zip(&self.x.ticks) {
            if self.x.grid {
                grid.push_str(&format!("M{} {top}V{bottom}", unit(*x)));
            } else {
                grid.push_str(&format!("M{} {bottom}v4", unit(*x)));
            }
            if named {
                svg.words("mid", (*x, frame.bottom + 19.0), name);
            }
        }
        svg.empty("path", &[("class", "grid"), ("d", &grid)]);
        svg.empty(
            "path",
            &[
                ("class", "base"),
                ("d", &format!("M{left} {bottom}H{right}")),
            ],
        );
        svg.words("axis-name", (0.0, 15.0), &self.y.title);
        svg.words("axis-name end", (frame.right, HEIGHT - 9.0), &self.x.title);
        svg.end();
    }

    /// The edge of what the points of the frontier are not worse than: no measured point is above
    /// or to the right of it.
    fn draw_frontier(&self, svg: &mut Svg, frame: &Frame) {
        let places: Vec<(f64, f64)> = self
            .frontier
            .iter()
            .filter_map(|(x, y)| self.place(frame, *x, *y))
            .collect();
        let Some((_, first_y)) = places.first() else {
            return;
        };
        let mut d = format!("M{} {}", unit(frame.left), unit(*first_y));
        for (x, y) in &places {
            d.push_str(&format!("V{}H{}", unit(*y), unit(*x)));
        }
        d.push_str(&format!("V{}", unit(frame.bottom)));
        svg.empty(
            "path",
            &[("class", "frontier"), ("fill", "none"), ("d", &d)],
        );
    }

    /// Draws the guide as far as it is inside; gives its end.
    fn draw_guide(&self, svg: &mut Svg, frame: &Frame) -> Option<(f64, f64)> {
        let (_, points) = self.guide.as_ref()?;
        let mut places: Vec<(f64, f64)> = Vec::new();
        for (x, y) in points {
            let (x, y) = self.place(frame, *x, *y)?;
            if y < frame.top {
                // Cut at the upper edge.
                if let Some((before_x, before_y)) = places.last().copied() {
                    let share = (before_y - frame.top) / (before_y - y);
                    places.push((before_x + share * (x - before_x), frame.top));
                }
                break;
            }
            places.push((x, y));
        }
        if places.len() < 2 {
            return None;
        }
        let d = polyline(&places);
        svg.empty("path", &[("class", "guide"), ("fill", "none"), ("d", &d)]);
        places.last().copied()
    }

    fn draw_series(&self, svg: &mut Svg, frame: &Frame, series: &Series) {
        let class = ["line", series.look.class, series.look.dash].join(" ");
        svg.begin(
            "g",
            &[("class", class.trim_end()), ("data-context", &series.name)],
        );
        let places: Vec<Option<(&Point, (f64, f64))>> = series
            .points
            .iter()
            .map(|point| {
                let point = point.as_ref()?;
                Some((point, self.place(frame, point.x, point.y)?))
            })
            .collect();
        let way: String = places
            .split(Option::is_none)
            .filter(|whole| whole.len() > 1)
            .map(|whole| {
                let places: Vec<(f64, f64)> = whole.iter().flatten().map(|(_, at)| *at).collect();
                polyline(&places)
            })
            .collect();
        if !way.is_empty() {
            svg.empty("path", &[("class", "way"), ("fill", "none"), ("d", &way)]);
        }
        if let Some(mark) = &series.mark
            && let Some(y) = frame.y(self.y.scale, mark.y)
        {
            // An arrow head beside the axis, left of all points.
            let d = format!("M{} {}l-9 4.5v-9z", unit(frame.left + 9.0), unit(y));
            svg.titled(
                "path",
                &[
                    ("class", "point mark"),
                    ("data-cell", &mark.cell),
                    ("d", &d),
                ],
                &mark.words,
            );
        }
        for (point, (x, y)) in places.into_iter().flatten() {
            let (class, marker) = match point.kind {
                PointKind::Full => ("point", series.look.marker),
                PointKind::Hollow => ("point hollow", series.look.marker),
                PointKind::Star => ("point star", Marker::Star),
            };
            if marker == Marker::Circle {
                let (x, y, r) = (unit(x), unit(y), unit(RADIUS));
                svg.titled(
                    "circle",
                    &[
                        ("class", class),
                        ("data-cell", &point.cell),
                        ("cx", &x),
                        ("cy", &y),
                        ("r", &r),
                    ],
                    &point.words,
                );
            } else {
                svg.titled(
                    "path",
                    &[
                        ("class", class),
                        ("data-cell", &point.cell),
                        ("d", &marker.path(x, y)),
                    ],
                    &point.words,
                );
            }
        }
        svg.end();
    }

    /// Labels beside points: those of the frontier first, then the others from the first line on,
    /// each where it covers no point, no line and no other label. Those of the frontier may cover
    /// a line where there is no other place.
    fn point_labels(&self, svg: &mut Svg, frame: &Frame) {
        let mut taken: Vec<Rect> = Vec::new();
        let mut wanted: Vec<(bool, &str, (f64, f64))> = Vec::new();
        for point in self.series.iter().flat_map(|s| s.points.iter().flatten()) {
            if let Some((x, y)) = self.place(frame, point.x, point.y) {
                taken.push(Rect::around(x, y, RADIUS + 0.5));
                if !point.label.is_empty() {
                    let behind = !self.frontier.contains(&(point.x, point.y));
                    wanted.push((behind, &point.label, (x, y)));
                }
            }
        }
        if wanted.is_empty() || wanted.len() > MOST_LABELLED {
            return;
        }
        let ways = self.along_lines(frame);
        wanted.sort_by_key(|(behind, _, _)| *behind);
        let inside = Rect {
            x: frame.left,
            y: frame.top - 10.0,
            w: WIDTH - frame.left,
            h: frame.bottom - frame.top + 10.0,
        };
        for (behind, label, (x, y)) in wanted {
            let (w, h) = (width(label, LETTERS), LETTERS - 3.0);
            let (gap, low) = (RADIUS + 2.0, RADIUS + h);
            let places = [
                (x + gap, y - gap),
                (x + gap, y + low),
                (x + gap + 2.0, y + h / 2.0),
                (x - gap - w, y - gap),
                (x - gap - w, y + low),
                (x - gap - w - 2.0, y + h / 2.0),
                (x - w / 2.0, y - gap - 3.0),
                (x - w / 2.0, y + low + 4.0),
            ];
            let rect = |(left, base): (f64, f64)| Rect {
                x: left,
                y: base - h,
                w,
                h,
            };
            let is_free = |at: &(f64, f64)| {
                rect(*at).is_in(inside) && !taken.iter().any(|other| other.meets(rect(*at)))
            };
            let is_clear = |at: &(f64, f64)| !ways.iter().any(|way| way.meets(rect(*at)));
            let clear = places.into_iter().find(|at| is_free(at) && is_clear(at));
            let crossing = || places.into_iter().find(is_free).filter(|_| !behind);
            if let Some(at) = clear.or_else(crossing) {
                taken.push(rect(at));
                svg.words("at", at, label);
            }
        }
    }

    /// Small squares along all lines.
    fn along_lines(&self, frame: &Frame) -> Vec<Rect> {
        let mut out = Vec::new();
        for series in &self.series {
            let places: Vec<Option<(f64, f64)>> = series
                .points
                .iter()
                .map(|point| self.place(frame, point.as_ref()?.x, point.as_ref()?.y))
                .collect();
            for pair in places.windows(2) {
                if let [Some((ax, ay)), Some((bx, by))] = pair {
                    let pieces = ((bx - ax).hypot(by - ay) / 4.0).ceil().clamp(1.0, 100.0) as u32;
                    out.extend((0..=pieces).map(|i| {
                        let share = f64::from(i) / f64::from(pieces);
                        Rect::around(ax + share * (bx - ax), ay + share * (by - ay), 1.5)
                    }));
                }
            }
        }
        out
    }

    /// Names at the ends of lines, moved apart where they would cover each other, with a thin line
    /// to the end that is meant.
    fn end_names(&self, svg: &mut Svg, frame: &Frame, guide: Option<(f64, f64)>) {
        struct End {
            name: String,
            x: f64,
            y: f64,
        }
        let mut ends: Vec<End> = self
            .series
            .iter()
            .filter_map(|series| {
                let last = series.points.iter().flatten().next_back()?;
                let (x, y) = self.place(frame, last.x, last.y)?;
                Some(End {
                    name: shown(&series.name),
                    x,
                    y,
                })
            })
            .collect();
        ends.sort_by(|a, b| a.x.total_cmp(&b.x));
        let (from, to) = (frame.top, frame.bottom);
        let few = self.series.len() <= MOST_LABELLED / 10;
        let ways = if few {
            self.along_lines(frame)
        } else {
            Vec::new()
        };
        for column in ends.chunk_by(|a, b| (a.x - b.x).abs() < 1.0) {
            // A line that ends within the plot: beside its end, or above or below it, where the
            // name covers least of the other lines.
            if let [end] = column
                && end.x < frame.right - 30.0
            {
                let w = width(&end.name, LETTERS - 2.0);
                let places = [
                    (end.x + 9.0, end.y + 4.5),
                    (end.x - w / 2.0, end.y - 9.0),
                    (end.x - w / 2.0, end.y + 19.0),
                ];
                let covered = |(x, base): (f64, f64)| {
                    let rect = Rect {
                        x,
                        y: base - 10.0,
                        w,
                        h: 11.0,
                    };
                    ways.iter().filter(|way| way.meets(rect)).count()
                };
                if let Some(at) = places.into_iter().min_by_key(|at| covered(*at)) {
                    svg.words("end-name", at, &end.name);
                }
                continue;
            }
            // More names than there is room for: every second, third… line is named.
            let most = ((to - from) / LINE_HEIGHT).floor().max(1.0) as usize;
            let every = column.len().div_ceil(most + 1).max(1);
            let named: Vec<&End> = column.iter().step_by(every).collect();
            let wanted: Vec<f64> = named.iter().map(|end| end.y).collect();
            let placed = spread(&wanted, LINE_HEIGHT, from, to);
            for (end, y) in named.into_iter().zip(placed) {
                let x = end.x + 11.0;
                if (y - end.y).abs() > 4.0 {
                    let d = format!(
                        "M{} {}L{} {}",
                        unit(end.x + 4.0),
                        unit(end.y),
                        unit(x - 1.0),
                        unit(y)
                    );
                    svg.empty("path", &[("class", "leader"), ("d", &d)]);
                }
                svg.words("end-name", (x, y + 4.5), &end.name);
            }
        }
        if let (Some((x, y)), Some((name, _))) = (guide, &self.guide) {
            svg.words("guide-name end", (x - 6.0, y - 5.0), name);
        }
    }

    /// The entries of the key, a row after the other, each with its place from left.
    fn key(&self) -> Vec<Vec<(f64, KeyEntry<'_>)>> {
        let mut entries: Vec<KeyEntry> = self.series.iter().map(KeyEntry::Series).collect();
        if !self.frontier.is_empty() {
            entries.push(KeyEntry::Frontier);
        }
        let mut rows: Vec<Vec<(f64, KeyEntry)>> = Vec::new();
        let mut x = f64::INFINITY;
        for entry in entries {
            let room = 30.0 + width(&entry.name(), LETTERS) + 10.0;
            if x + room > WIDTH {
                rows.push(Vec::new());
                x = 0.0;
            }
            if let Some(row) = rows.last_mut() {
                row.push((x, entry));
            }
            x += room;
        }
        rows
    }

    fn draw_key(&self, svg: &mut Svg, rows: &[Vec<(f64, KeyEntry<'_>)>]) {
        for (at, row) in rows.iter().enumerate() {
            let y = HEIGHT + 20.0 * at as f64 + 8.0;
            for (x, entry) in row {
                let d = format!("M{} {}h24", unit(*x), unit(y));
                match entry {
                    KeyEntry::Series(series) => {
                        let class = ["key-line", series.look.class, series.look.dash].join(" ");
                        svg.begin("g", &[("class", class.trim_end())]);
                        svg.empty("path", &[("class", "way"), ("d", &d)]);
                        let shape = series.look.marker.path(x + 12.0, y);
                        svg.empty("path", &[("class", "shape"), ("d", &shape)]);
                        svg.words("", (x + 30.0, y + 4.5), &entry.name());
                        svg.end();
                    }
                    KeyEntry::Frontier => {
                        svg.empty("path", &[("class", "frontier"), ("d", &d)]);
                        svg.words("", (x + 30.0, y + 4.5), &entry.name());
                    }
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum KeyEntry<'a> {
    Series(&'a Series),
    Frontier,
}

impl KeyEntry<'_> {
    fn name(&self) -> String {
        match self {
            Self::Series(series) => shown(&series.name),
            Self::Frontier => "frontier".to_owned(),
        }
    }
}

impl Frame {
    fn x(&self, scale: Scale, value: f64) -> Option<f64> {
        scale.at(value, self.begin, self.right)
    }

    fn y(&self, scale: Scale, value: f64) -> Option<f64> {
        scale.at(value, self.bottom, self.top)
    }
}

fn shown(name: &str) -> String {
    short(name, LONGEST_NAME)
}

fn polyline(places: &[(f64, f64)]) -> String {
    let mut d = String::new();
    for (at, (x, y)) in places.iter().enumerate() {
        d.push_str(match at {
            0 => "M",
            1 => "L",
            _ => " ",
        });
        d.push_str(&format!("{} {}", unit(*x), unit(*y)));
    }
    d
}
