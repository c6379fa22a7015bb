//! A file → a run. One file of this folder a format; each is asked in turn whether it recognises
//! the input. Importers know the run model and nothing of pages, folders or sidecars.

pub mod json;
pub mod lil_bench;
pub mod llm_inference_bench;
pub mod report_text;
pub mod speedbook_run;

use std::io::Read;

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::run::{Facts, Run};

use json::JsonNode;

/// A file's content, ready for the formats to look at.
pub struct Input<'a> {
    /// The file as the user knows it, for messages.
    pub path: &'a str,
    /// Its text, without a byte order mark.
    pub text: &'a str,
    /// The text as JSON, where the name says that it is.
    pub json: Option<JsonNode<'a>>,
}

impl Input<'_> {
    /// A line of this file, for messages.
    pub fn line(&self, line: usize) -> Place {
        Place::line(self.path, line)
    }

    /// The place of a byte of this file, for messages.
    pub fn offset(&self, offset: usize) -> Place {
        Place::offset(self.path, self.text, offset)
    }
}

/// What a format makes of a file.
#[derive(Debug)]
pub struct Imported {
    /// The run: its facts are those that the file itself states. Slug, source, title and everything
    /// that comes from elsewhere are still empty, except for formats that carry them.
    pub run: Run,
    /// Facts that the file only hints at (the GPU list of the client machine); weaker than folder
    /// defaults.
    pub hints: Facts,
    /// Names that must not be published (the client's host name).
    pub private_names: Vec<String>,
    /// What is odd, but no reason to refuse the file.
    pub warnings: Vec<Diagnostic>,
}

/// What became of a recognised file.
#[derive(Debug)]
pub enum Outcome {
    /// A run.
    Run(Box<Imported>),
    /// Known, but no run (a checkpoint, an accuracy report): left alone, with this warning.
    LeftAlone(Diagnostic),
}

/// One input format.
pub trait Format: Sync {
    /// Its name in `source.format` and in the documentation.
    fn name(&self) -> &'static str;

    /// What it is recognised by, in words, for the message about files that none recognises.
    fn looks_for(&self) -> &'static str;

    /// Whether the file is of this format; cheap, and wrong in neither direction.
    fn recognises(&self, input: &Input) -> bool;

    /// Reads the file.
    ///
    /// # Errors
    /// All problems that forbid publishing it, each with its place.
    fn import(&self, input: &Input) -> Result<Outcome, Vec<Diagnostic>>;
}

/// All formats, in the order in which they are asked.
pub const FORMATS: &[&dyn Format] = &[
    &speedbook_run::SpeedbookRun,
    &lil_bench::LilBench,
    &llm_inference_bench::LlmInferenceBench,
    &report_text::ReportText,
];

/// Reads one file: `path` as the user knows it (its ending tells JSON, gzip and text apart), and
/// its bytes.
///
/// # Errors
/// All problems that forbid publishing it; a file that no format recognises among them.
pub fn import(path: &str, bytes: &[u8]) -> Result<Outcome, Vec<Diagnostic>> {
    let unpacked;
    let name = path.strip_suffix(".gz").unwrap_or(path);
    // By the first two bytes, too: some tools pack a file without saying so in its name.
    let bytes = if name != path || bytes.starts_with(&[0x1f, 0x8b]) {
        unpacked = gunzip(path, bytes).map_err(|e| vec![e])?;
        unpacked.as_slice()
    } else {
        bytes
    };
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let valid = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = valid.iter().filter(|b| **b == b'\n').count() + 1;
        vec![
            Diagnostic::new(
                Code::Unreadable,
                Place::line(path, line),
                "is not UTF-8 text",
            )
            .help("save the file as UTF-8"),
        ]
    })?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let json = if name.ends_with(".json") {
        Some(JsonNode::parse(path, text).map_err(|e| vec![e])?)
    } else {
        None
    };
    let input = Input { path, text, json };
    match FORMATS.iter().find(|format| format.recognises(&input)) {
        Some(format) => {
            let mut outcome = format.import(&input)?;
            if let Outcome::Run(imported) = &mut outcome
                && imported.run.source.format.is_empty()
            {
                imported.run.source.format = format.name().to_owned();
            }
            Ok(outcome)
        }
        None => {
            let looked_for: Vec<String> = FORMATS
                .iter()
                .map(|f| format!("{} ({})", f.name(), f.looks_for()))
                .collect();
            Err(vec![
                Diagnostic::new(
                    Code::UnknownFormat,
                    Place::file(path),
                    format!(
                        "no format recognises this file; looked for {}",
                        looked_for.join("; ")
                    ),
                )
                .help("remove the file, or leave it out with `ignore` in site.toml"),
            ])
        }
    }
}

/// Most bytes that a gzipped run may unpack to; larger ones are refused rather than read.
const MOST_UNPACKED: u64 = 512 << 20;

fn gunzip(path: &str, bytes: &[u8]) -> Result<Vec<u8>, Diagnostic> {
    let mut out = Vec::new();
    let mut reader = flate2::read::MultiGzDecoder::new(bytes).take(MOST_UNPACKED + 1);
    let problem = |what: String| Diagnostic::new(Code::Unreadable, Place::file(path), what);
    reader.read_to_end(&mut out).map_err(|error| {
        problem(format!("cannot be unpacked: {error}")).help("pack the file again with gzip")
    })?;
    if out.len() as u64 > MOST_UNPACKED {
        return Err(problem("unpacks to more than 512 MiB".to_owned())
            .help("leave it out with `ignore` in site.toml"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(path: &str, bytes: &[u8]) -> Diagnostic {
        import(path, bytes).unwrap_err().remove(0)
    }

    #[test]
    fn files_that_are_no_text_are_refused_with_their_line() {
        let problem = problem("a.txt", b"Speed test matrix\n\xff\n");
        assert_eq!(
            (problem.code, problem.place.line),
            (Code::Unreadable, Some(2))
        );
        assert_eq!(problem.message, "is not UTF-8 text");
    }

    #[test]
    fn a_damaged_gzip_layer_is_told() {
        let problem = problem("a.json.gz", b"\x1f\x8b\x08 damaged");
        assert_eq!(problem.code, Code::Unreadable);
        assert!(problem.message.starts_with("cannot be unpacked: "));
    }

    #[test]
    fn a_packed_file_is_unpacked_whatever_its_name() {
        use std::io::Write;
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"{\"metadata\": 1}").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(problem("a.json", &packed).code, Code::UnknownFormat);
        assert_eq!(problem("a.json.gz", &packed).code, Code::UnknownFormat);
    }

    #[test]
    fn a_file_that_no_format_recognises_is_told_what_was_looked_for() {
        let problem = problem("a.json", b"{\"metadata\": 1}");
        assert_eq!(problem.code, Code::UnknownFormat);
        for format in FORMATS {
            assert!(problem.message.contains(format.name()), "{problem}");
            assert!(!format.looks_for().is_empty());
        }
    }
}
