//! A problem in what the user gave: where it is, what is wrong, what to do. Every step returns
//! problems as values; only [`crate::cli`] prints them.

use std::collections::BTreeMap;
use std::fmt;

/// How bad a problem is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// The build fails.
    Error,
    /// The build goes on, and the reader of the terminal should know.
    Warning,
}

/// A place in a file. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The file as the user knows it: relative to the site's root, or as given on the command line.
    pub path: String,
    /// The line, where one is to blame.
    pub line: Option<usize>,
    /// The column in that line, where one is to blame.
    pub column: Option<usize>,
}

impl Place {
    /// A whole file.
    pub fn file(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            line: None,
            column: None,
        }
    }

    /// A line of a file.
    pub fn line(path: impl Into<String>, line: usize) -> Self {
        Self {
            line: Some(line),
            ..Self::file(path)
        }
    }

    /// A line and a column of a file.
    pub fn column(path: impl Into<String>, line: usize, column: usize) -> Self {
        Self {
            column: Some(column),
            ..Self::line(path, line)
        }
    }

    /// The place of the byte at `offset` of `text`.
    pub fn offset(path: impl Into<String>, text: &str, offset: usize) -> Self {
        let before = text
            .char_indices()
            .take_while(|(at, _)| *at < offset)
            .map(|(_, c)| c);
        let (mut line, mut column) = (1, 1);
        for c in before {
            if c == '\n' {
                line += 1;
                column = 1;
            } else {
                column += 1;
            }
        }
        Self::column(path, line, column)
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&printable(&self.path))?;
        if let Some(line) = self.line {
            write!(f, ":{line}")?;
            if let Some(column) = self.column {
                write!(f, ":{column}")?;
            }
        }
        Ok(())
    }
}

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $id:literal;)*) => {
        /// Every kind of problem there is. The first letter of the id tells the severity.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Code { $($(#[doc = $doc])* $name,)* }

        impl Code {
            /// All kinds of problems.
            pub const ALL: &'static [Code] = &[$(Code::$name,)*];

            /// `E0101`: stable, for searching and for documentation.
            pub fn id(self) -> &'static str {
                match self { $(Code::$name => $id,)* }
            }
        }
    };
}

codes! {
    // 01xx: files and formats.
    /// No format recognises the file.
    UnknownFormat = "E0101";
    /// The file is not UTF-8 text, or its gzip layer is damaged.
    Unreadable = "E0102";
    /// The file is not well-formed JSON.
    JsonSyntax = "E0103";
    /// A recognised file lacks a key, or a value has the wrong type or range.
    JsonShape = "E0104";
    /// A cell is there twice.
    DuplicateCell = "E0105";
    /// A file that is known to be no run is left alone.
    LeftAlone = "W0106";
    /// The file was written by a newer version than this program knows.
    NewerVersion = "W0107";
    /// A key of `run.json` that this version does not know.
    UnknownRunKey = "W0108";
    /// A value that cannot be used; the run goes without it.
    ValueLeftOut = "W0109";

    // 02xx: report texts.
    /// A text can be read in two ways, and nothing decides.
    Ambiguous = "E0201";
    /// Two places of a report text contradict each other.
    Disagreement = "E0202";
    /// A table breaks off in a row, or has fewer rows than counted.
    CutOff = "E0203";
    /// A number in another notation, or no number where one must stand.
    BadNumber = "E0204";
    /// A part of a report text does not follow its grammar.
    ReportSyntax = "E0205";
    /// A line that belongs to nothing known.
    UnknownLine = "W0206";
    /// A status that is not known here.
    UnknownStatus = "W0207";
    /// A report text without its title or without its line of counts.
    MissingPart = "W0208";

    // 03xx: sidecars, defaults, content.
    /// The front matter is not well-formed TOML, or is not closed.
    FrontMatterSyntax = "E0301";
    /// A key that is not known.
    UnknownKey = "E0302";
    /// A known key with a value of the wrong type or range.
    BadValue = "E0303";
    /// Two run files with one stem.
    SameStem = "E0304";
    /// Run keys without a run beside them.
    SidecarWithoutRun = "E0305";
    /// A sidecar says something else than its file.
    SidecarContradicts = "W0306";
    /// Two outputs with one address.
    AddressClash = "E0307";
    /// A link of the file system that leaves the site's folder.
    LinkOutside = "E0308";
    /// A slug from which nothing is left, or that is not allowed.
    BadSlug = "E0309";
    /// A time zone that does not exist.
    UnknownTimezone = "E0310";
    /// A pattern that cannot be read.
    BadPattern = "E0311";
    /// site.toml is not well-formed TOML.
    ConfigSyntax = "E0312";
    /// A file in `content/` with which nothing is done.
    OtherFile = "W0313";
    /// Two run files with the same bytes.
    PublishedTwice = "W0314";
    /// A link of the file system that leads nowhere, or in a circle.
    BrokenLink = "E0315";
    /// A file name that is not UTF-8.
    BadFileName = "E0316";
    /// Text in an `_index.md`, which has no page.
    DefaultsBody = "E0317";

    // 05xx: the plan of the site, and its links.
    /// An alias at whose address something else is.
    AliasHides = "E0501";
    /// An alias that two pages have.
    AliasTwice = "E0502";
    /// A link to something that is not on the site.
    DeadLink = "E0503";
    /// A link to a part of a page that the page does not have.
    DeadAnchor = "E0504";
    /// A link in a finished page that leads nowhere.
    DeadPageLink = "E0505";
    /// A slug that no run has.
    UnknownSlug = "E0506";
    /// A link in the notes of a published run to something that is not on this site.
    LostLink = "W0507";

    // 06xx: themes.
    /// A template does not follow the template language.
    TemplateSyntax = "E0601";
    /// A template names a block, component, filter, function or template that is not there.
    TemplateName = "E0602";
    /// A template asks for something that its page does not have.
    TemplateField = "E0603";
    /// A file among the templates with which nothing is done.
    TemplateUnused = "W0604";
}

impl Code {
    /// Error or warning, by the letter of the id.
    pub fn severity(self) -> Severity {
        if self.id().starts_with('E') {
            Severity::Error
        } else {
            Severity::Warning
        }
    }
}

/// A problem: where, what is wrong, what to do.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Diagnostic {
    /// Where it is.
    pub place: Place,
    /// Which kind of problem it is.
    pub code: Code,
    /// One sentence without a full stop: what is wrong.
    pub message: String,
    /// What to do about it, a sentence without a full stop; empty where the message says it.
    pub help: String,
    /// Other places that belong to it, each with what stands there.
    pub also: Vec<(Place, String)>,
}

impl Diagnostic {
    /// A problem at a place.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Self {
        Self {
            place,
            code,
            message: message.into(),
            help: String::new(),
            also: Vec::new(),
        }
    }

    /// Adds what to do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    /// Adds another place that belongs to it.
    #[must_use]
    pub fn also(mut self, place: Place, what: impl Into<String>) -> Self {
        self.also.push((place, what.into()));
        self
    }

    /// Error or warning.
    pub fn severity(&self) -> Severity {
        self.code.severity()
    }
}

impl fmt::Display for Diagnostic {
    /// Plain text of several lines, safe for a terminal:
    ///
    /// ```text
    /// error[E0105]: the cell 8K × 4 stands twice
    ///  --> content/runs/a.json:120:5
    ///   | content/runs/a.json:80:5: the first one
    /// help: remove one of them
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self.severity() {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        write!(
            f,
            "{word}[{}]: {}\n --> {}",
            self.code.id(),
            printable(&self.message),
            self.place
        )?;
        for (place, what) in &self.also {
            write!(f, "\n  | {place}: {}", printable(what))?;
        }
        if !self.help.is_empty() {
            write!(f, "\nhelp: {}", printable(&self.help))?;
        }
        Ok(())
    }
}

/// Text that cannot steer a terminal: control and direction characters become `\u{…}`.
pub fn printable(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        let steers = c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{061c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        if steers {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

/// All problems of a build, in the order of file and line, each once.
pub fn sorted(mut problems: Vec<Diagnostic>) -> Vec<Diagnostic> {
    problems.sort();
    problems.dedup();
    problems
}

/// How many errors and warnings there are.
pub fn counts(problems: &[Diagnostic]) -> BTreeMap<Severity, usize> {
    let mut counts = BTreeMap::new();
    for problem in problems {
        *counts.entry(problem.severity()).or_insert(0) += 1;
    }
    counts
}

/// The known name that is nearest to a mistyped one, if one is near enough to be meant.
pub fn nearest<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(typed, name), name))
        .filter(|(distance, name)| *distance <= (name.chars().count() / 3).max(1))
        .min()
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_problem_reads_as_text() {
        let problem = Diagnostic::new(
            Code::DuplicateCell,
            Place::column("content/runs/a.json", 120, 5),
            "the cell 8K × 4 stands twice",
        )
        .also(Place::line("content/runs/a.json", 80), "the first one")
        .help("remove one of them");
        assert_eq!(
            problem.to_string(),
            "error[E0105]: the cell 8K × 4 stands twice\n --> content/runs/a.json:120:5\n  | content/runs/a.json:80: the first one\nhelp: remove one of them"
        );
    }

    #[test]
    fn nothing_in_a_message_steers_the_terminal() {
        let problem = Diagnostic::new(
            Code::UnknownLine,
            Place::file("a\u{1b}[31m.txt"),
            "\u{1b}]0;x\u{7}",
        );
        assert!(!problem.to_string().contains(['\u{1b}', '\u{7}']));
    }

    #[test]
    fn ids_are_unique_and_in_order() {
        let ids: Vec<&str> = Code::ALL.iter().map(|c| &c.id()[1..]).collect();
        assert!(ids.windows(2).all(|w| w[0] < w[1]), "{ids:?}");
    }

    #[test]
    fn near_misses_are_found() {
        assert_eq!(
            nearest("launch_comand", ["author", "launch_command"]),
            Some("launch_command")
        );
        assert_eq!(nearest("zzz", ["author", "launch_command"]), None);
    }

    #[test]
    fn an_offset_becomes_line_and_column() {
        assert_eq!(Place::offset("a", "ab\ncä×d", 8), Place::column("a", 2, 4));
        assert_eq!(Place::offset("a", "ab", 0), Place::column("a", 1, 1));
    }
}
