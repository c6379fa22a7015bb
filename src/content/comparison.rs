//! Written comparisons: `content/compare/NAME.md`.

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::toml_keys::{Key, Shape};
use crate::toml_table;

use super::front_matter::MarkdownFile;
use super::prose::{ProseFile, prose_keys};

/// A comparison that someone asked for, as its file has it. Whether the runs are there is not known
/// here.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ComparisonFile {
    /// Its title and its text.
    pub prose: ProseFile,
    /// The slugs of the runs, at least two, and where each is written.
    pub runs: Vec<(String, Place)>,
    /// The slug of the run that the others are measured by; one of `runs`, or another.
    pub baseline: Option<(String, Place)>,
}

/// The keys of a written comparison.
pub fn comparison_keys() -> Vec<Key> {
    let mut keys = vec![
        Key::new(
            "runs",
            Shape::Texts,
            "The runs to compare, by their addresses below /runs/; at least two, the baseline among them.",
        ),
        Key::new(
            "baseline",
            Shape::Text,
            "The run that the others are measured by (default: the first of `runs`).",
        ),
    ];
    keys.extend(prose_keys());
    keys
}

impl ComparisonFile {
    /// Reads a written comparison: what is right in it, and all problems.
    pub fn read(path: &str, file: &MarkdownFile) -> (Self, Vec<Diagnostic>) {
        let (table, mut problems) = match file.front_matter() {
            Some(text) => toml_table::read(&text, &comparison_keys()),
            None => Default::default(),
        };
        let prose = ProseFile::of_table(path, file, &table, &mut problems);
        let given = table.texts("runs").map(<[_]>::to_vec);
        let baseline = table
            .text("baseline")
            .map(|(slug, place)| (slug.to_owned(), place.clone()));
        let mut runs = given.clone().unwrap_or_default();
        // The baseline counts as one of them and comes first.
        if let Some((slug, _)) = &baseline {
            let at = runs.iter().position(|(other, _)| other == slug);
            let first = at.map(|at| runs.remove(at)).or(baseline.clone());
            runs.splice(0..0, first);
        }
        let mut seen = std::collections::BTreeSet::new();
        for (slug, place) in &runs {
            if !seen.insert(slug.as_str()) {
                let message = format!("the run \"{slug}\" is named twice");
                let problem = Diagnostic::new(Code::BadValue, place.clone(), message);
                problems.push(problem.help("name each run once"));
            }
        }
        if runs.len() < 2 && problems.is_empty() {
            let place = match runs.first() {
                Some((_, place)) => place.clone(),
                None => Place::line(&file.path, 1),
            };
            let message = match runs.len() {
                0 => "a file in content/compare/ without `runs`".to_owned(),
                _ => "a comparison of one run".to_owned(),
            };
            let problem = Diagnostic::new(Code::BadValue, place, message);
            problems.push(problem.help(
                "name two runs or more by their addresses below /runs/, as runs = [\"a\", \"b\"]",
            ));
        }
        (
            Self {
                prose,
                runs,
                baseline,
            },
            problems,
        )
    }
}
