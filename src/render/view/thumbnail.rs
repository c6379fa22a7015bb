//! The matrix of a run as a small picture of coloured cells: its face wherever it is named.

use super::counted;
use super::scale::{CLASSES, ClassScale};
use crate::run::{Context, Metric, Run, Status};
use crate::site::Site;

/// Most simultaneous requests (columns) that are drawn.
const MOST_COLUMNS: usize = 24;

/// Most contexts (rows) that are drawn.
const MOST_ROWS: usize = 16;

/// From the left edge of a cell to that of the next, and the width of a cell, in pixels.
const PITCH_X: usize = 9;

/// From the top of a cell to that of the next, in pixels.
const PITCH_Y: usize = 7;

/// The class of a cell where all figures are the same, and there is no scale.
const ONLY_CLASS: usize = 4;

/// A small picture of a matrix.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thumbnail {
    /// A whole `svg` element, with the label as its text alternative.
    pub svg: String,
    /// What is on it, in words.
    pub label: String,
}

/// One scale of colours for the thumbnails of all runs of a site: over total tok/s of all valid and
/// queued cells. `None` where there are not two different figures.
pub fn site_scale(site: &Site) -> Option<ClassScale> {
    let (least, most) = site.totals?;
    ClassScale::over([least, most])
}

/// The thumbnail of a run's sustained decode; `None` for a run without a cell of it.
pub fn thumbnail(run: &Run, scale: Option<&ClassScale>) -> Option<Thumbnail> {
    let grid = Grid::of(run, scale)?;
    let label = grid.label();
    Some(Thumbnail {
        svg: grid.svg(&label),
        label,
    })
}

/// What is drawn of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mark {
    /// Nothing was asked for here.
    Nothing,
    /// A cell without a figure that counts.
    Outline,
    /// A figure in this class of the scale.
    Class(usize),
    /// The same, measured while requests queued.
    Queued(usize),
}

/// A matrix as it is drawn.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The cells that are drawn: rows are contexts, each as long as the others.
    rows: Vec<Vec<Mark>>,
    /// How many contexts and how many levels of requests there are.
    size: (usize, usize),
    /// The lowest and the highest total, each as the page shows it.
    range: Option<(String, String)>,
    queued: usize,
    without: usize,
}

impl Grid {
    /// The sustained decode of a run; `None` where it has not a cell.
    pub(crate) fn of(run: &Run, scale: Option<&ClassScale>) -> Option<Self> {
        let cells = &run.decode;
        let mut levels: Vec<u64> = cells.iter().map(|cell| cell.concurrency).collect();
        levels.sort_unstable();
        levels.dedup();
        let mut rows: Vec<(&Context, Vec<Mark>)> = Vec::new();
        let (mut least, mut most) = (None::<(f64, String)>, None::<(f64, String)>);
        let (mut queued, mut without) = (0, 0);
        for cell in cells {
            let mark = match cell.counted_total() {
                None => {
                    without += 1;
                    Mark::Outline
                }
                Some(total) => {
                    let metric = Metric::TotalTokPerS;
                    let shown = || cell.get(metric).map(|f| metric.show(f)).unwrap_or_default();
                    if least.as_ref().is_none_or(|(value, _)| total < *value) {
                        least = Some((total, shown()));
                    }
                    if most.as_ref().is_none_or(|(value, _)| total > *value) {
                        most = Some((total, shown()));
                    }
                    let class = scale.map_or(ONLY_CLASS, |scale| scale.class(total));
                    if cell.status == Status::Queued {
                        queued += 1;
                        Mark::Queued(class)
                    } else {
                        Mark::Class(class)
                    }
                }
            };
            // Cells are sorted by context; a row begins where the context changes.
            if rows
                .last()
                .is_none_or(|(context, _)| **context != cell.context)
            {
                rows.push((&cell.context, vec![Mark::Nothing; levels.len()]));
            }
            let at = levels.binary_search(&cell.concurrency).ok();
            let row = rows.last_mut().map(|(_, row)| row);
            if let Some(slot) = at.zip(row).and_then(|(at, row)| row.get_mut(at)) {
                *slot = mark;
            }
        }
        let size = (rows.len(), levels.len());
        let cut = |mut row: Vec<Mark>| {
            row.truncate(MOST_COLUMNS);
            row
        };
        let drawn = rows.into_iter().take(MOST_ROWS).map(|(_, row)| cut(row));
        (size.0 > 0).then(|| Self {
            rows: drawn.collect(),
            size,
            range: least.zip(most).map(|((_, least), (_, most))| (least, most)),
            queued,
            without,
        })
    }

    /// Whether the picture leaves out cells.
    pub(crate) fn is_cut(&self) -> bool {
        self.size.0 > MOST_ROWS || self.size.1 > MOST_COLUMNS
    }

    /// Which marks beside colours there are: queued cells, cells without a figure.
    pub(crate) fn marks(&self) -> (bool, bool) {
        (self.queued > 0, self.without > 0)
    }

    /// The picture as text: rows separated by a blank; `1` to `7` for a class, `a` to `g` for the
    /// same with queued requests, `o` for a cell without a figure, `.` for nothing.
    pub(crate) fn digits(&self) -> String {
        let letter = |mark: &Mark| match mark {
            Mark::Nothing => '.',
            Mark::Outline => 'o',
            Mark::Class(class) => "1234567".chars().nth(class - 1).unwrap_or('7'),
            Mark::Queued(class) => "abcdefg".chars().nth(class - 1).unwrap_or('g'),
        };
        let rows = self.rows.iter();
        let rows: Vec<String> = rows.map(|row| row.iter().map(letter).collect()).collect();
        rows.join(" ")
    }

    /// What is on the picture, in words: "64.5 to 2,363.0 tok/s over 6 contexts × 8 levels of
    /// requests, 4 cells queued".
    pub(crate) fn label(&self) -> String {
        let (contexts, levels) = self.size;
        let mut label = match &self.range {
            Some((least, most)) if least == most => format!("{most} tok/s"),
            Some((least, most)) => format!("{least} to {most} tok/s"),
            None => "No total tok/s".to_owned(),
        };
        label.push_str(&format!(
            " over {} × {} of requests",
            counted(contexts, "context", "contexts"),
            counted(levels, "level", "levels")
        ));
        if self.queued > 0 {
            let cells = counted(self.queued, "cell", "cells");
            label.push_str(&format!(", {cells} queued"));
        }
        if self.without > 0 {
            let cells = counted(self.without, "cell", "cells");
            label.push_str(&format!(", {cells} without a figure"));
        }
        if self.is_cut() {
            let (rows, columns) = (contexts.min(MOST_ROWS), levels.min(MOST_COLUMNS));
            label.push_str(&format!("; the first {rows} × {columns} are drawn"));
        }
        label
    }

    /// One path for the cells of each class. Queued cells lack a corner.
    fn svg(&self, label: &str) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = columns * PITCH_X - usize::from(columns > 0);
        let height = self.rows.len() * PITCH_Y - 1;
        let mut classes = vec![String::new(); CLASSES];
        let mut outlines = String::new();
        for (row, marks) in self.rows.iter().enumerate() {
            for (column, mark) in marks.iter().enumerate() {
                let (x, y) = (column * PITCH_X, row * PITCH_Y);
                match mark {
                    Mark::Nothing => {}
                    Mark::Outline => outlines.push_str(&format!("M{x}.5 {y}.5h7v5h-7z")),
                    Mark::Class(class) | Mark::Queued(class) => {
                        let Some(path) = classes.get_mut(class - 1) else {
                            continue;
                        };
                        let shape = match mark {
                            Mark::Queued(_) => "h5l3 3v3h-8z",
                            _ => "h8v6h-8z",
                        };
                        path.push_str(&format!("M{x} {y}{shape}"));
                    }
                }
            }
        }
        let mut svg = format!(
            "<svg class=\"thumb\" role=\"img\" aria-label=\"{label}\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\">"
        );
        let named = (1..).zip(classes).map(|(n, path)| (format!("q{n}"), path));
        for (class, path) in named.chain([("none".to_owned(), outlines)]) {
            if !path.is_empty() {
                svg.push_str(&format!("<path class=\"{class}\" d=\"{path}\"/>"));
            }
        }
        svg.push_str("</svg>");
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Figure, Measurement};

    fn cell(label: &str, concurrency: u64, status: Status, total: Option<f64>) -> Measurement {
        Measurement {
            context: Context::from_label(label, true),
            concurrency,
            status,
            figures: total
                .map(|total| (Metric::TotalTokPerS, Figure::exact(total)))
                .into_iter()
                .collect(),
            ..Measurement::default()
        }
    }

    #[test]
    fn cells_stand_where_they_were_measured() {
        let mut run = Run::new();
        run.decode = vec![
            cell("8K", 1, Status::Valid, Some(10.0)),
            cell("8K", 4, Status::Queued, Some(1_000.0)),
            cell("16K", 4, Status::OverCapacity, None),
        ];
        let scale = ClassScale::over([10.0, 1_000.0]);
        let grid = Grid::of(&run, scale.as_ref()).unwrap();
        assert_eq!(grid.digits(), "1g .o");
        let thumbnail = thumbnail(&run, scale.as_ref()).unwrap();
        assert_eq!(
            thumbnail.label,
            "10.0 to 1,000.0 tok/s over 2 contexts × 2 levels of requests, 1 cell queued, 1 cell without a figure"
        );
        assert_eq!(
            thumbnail.svg.split_once("viewBox=").unwrap().1,
            "\"0 0 17 13\"><path class=\"q1\" d=\"M0 0h8v6h-8z\"/><path class=\"q7\" d=\"M9 0h5l3 3v3h-8z\"/><path class=\"none\" d=\"M9.5 7.5h7v5h-7z\"/></svg>"
        );
    }

    #[test]
    fn a_large_matrix_is_cut_and_says_so() {
        let mut run = Run::new();
        run.decode = (1..=30)
            .map(|n| cell("8K", n, Status::Valid, Some(50.0)))
            .collect();
        let grid = Grid::of(&run, None).unwrap();
        assert_eq!(grid.digits(), "4".repeat(24));
        assert_eq!(
            grid.label(),
            "50.0 tok/s over 1 context × 30 levels of requests; the first 1 × 24 are drawn"
        );
        assert!(thumbnail(&Run::new(), None).is_none());
    }
}
