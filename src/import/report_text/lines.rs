//! Lines: a report text as lines that are ready to be read, each with the number that it has in
//! the file. What copying does to white space, dashes and marks is undone here; lines into which
//! several were glued are taken apart. Knows headings and fixed sentences, but no figures.

/// A line, or the part of a line that stood alone before it was glued.
#[derive(Clone, Debug)]
pub(super) struct Line {
    /// Number in the file, from 1.
    pub number: usize,
    /// Without marks and odd white space, trimmed.
    pub text: String,
    /// As it stands in the file, but for the white space at its end.
    pub raw: String,
    /// How many `#` were before it.
    pub level: usize,
    /// Whether it stands inside a fenced block.
    pub fenced: bool,
}

impl Line {
    /// The text without the dash or dot of a list, and whether there was one.
    pub fn item(&self) -> (&str, bool) {
        let mut chars = self.text.chars();
        let first = chars.next();
        let rest = chars.as_str();
        if first.is_some_and(|c| is_dash(c) || matches!(c, '*' | '•' | '+'))
            && rest.starts_with([' ', '\t'])
        {
            (rest.trim_start(), true)
        } else {
            (&self.text, false)
        }
    }

    /// Whether it has cells: a tab or a pipe.
    pub fn tabular(&self) -> bool {
        self.text.contains(['\t', '|'])
    }

    /// The heading that this line is, whether or not it is marked as one.
    pub fn heading(&self) -> Option<Heading> {
        Heading::read(&self.text)
    }
}

/// A heading of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Heading {
    /// The page's kind, above its title.
    Page,
    /// Facts of the hardware.
    Hardware,
    /// Facts of the engine.
    Engine,
    /// Facts of model and method.
    Run,
    /// Facts of the model (own pages).
    Model,
    /// Facts of the method (own pages).
    Method,
    /// The launch command.
    Launch,
    /// The prefill points.
    Prefill,
    /// The matrix of sustained decode.
    Decode,
    /// The burst matrix.
    Burst,
    /// The table of all measurements.
    All,
    /// Notes on the method (own pages).
    Notes,
}

impl Heading {
    /// Each heading with its words.
    pub const WORDS: &'static [(Heading, &'static str)] = &[
        (Heading::Page, "Speed test matrix"),
        (Heading::Hardware, "Hardware"),
        (Heading::Engine, "Engine"),
        (Heading::Run, "Run"),
        (Heading::Model, "Model"),
        (Heading::Method, "Method"),
        (Heading::Launch, "Launch command"),
        (Heading::Prefill, "Prefill"),
        (Heading::Decode, "Sustained decode"),
        (Heading::Burst, "Burst"),
        (Heading::All, "All measurements"),
        (Heading::Notes, "Notes"),
    ];

    /// The heading with these words, whatever their case and white space.
    pub fn read(text: &str) -> Option<Self> {
        if text.len() > 60 {
            return None;
        }
        let text = text.trim_end_matches([':', '#']);
        Self::WORDS
            .iter()
            .find(|(_, words)| same_words(words, text))
            .map(|(heading, _)| *heading)
    }

    /// Whether facts stand under it.
    pub fn of_facts(self) -> bool {
        matches!(
            self,
            Heading::Hardware | Heading::Engine | Heading::Run | Heading::Model | Heading::Method
        )
    }
}

/// Sentences that open a section, with the heading that they belong to.
pub(super) const OPENERS: &[(Heading, &str)] = &[
    (Heading::Prefill, "prompt tok/s by context length"),
    (
        Heading::Decode,
        "total tok/s · rows are context length, columns are simultaneous requests",
    ),
    (
        Heading::All,
        "Latencies are medians. Total tok/s is output across all simultaneous requests.",
    ),
];

/// The section that this line opens by its fixed sentence.
pub(super) fn opener(text: &str) -> Option<Heading> {
    if text.len() > 120 {
        return None;
    }
    OPENERS
        .iter()
        .find(|(_, sentence)| same_words(sentence, text))
        .map(|(heading, _)| *heading)
}

/// Whether this is one of the dashes that stand for each other in copies.
pub(super) fn is_dash(c: char) -> bool {
    matches!(
        c,
        '-' | '\u{2010}'
            ..='\u{2015}'
                | '\u{2212}'
                | '\u{2e3a}'
                | '\u{2e3b}'
                | '\u{fe58}'
                | '\u{fe63}'
                | '\u{ff0d}'
    )
}

/// Whether a cell says that there is nothing: dashes only.
pub(super) fn is_absent(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| is_dash(c) || c == ' ')
}

/// Text for comparing words: lower case, no white space, every dash a hyphen.
pub(super) fn squash(text: &str) -> String {
    words(text).collect()
}

fn words(text: &str) -> impl Iterator<Item = char> {
    text.chars()
        .filter(|c| !c.is_whitespace())
        .map(|c| if is_dash(c) { '-' } else { c })
        .flat_map(char::to_lowercase)
}

/// Whether two texts are the same but for case, white space and the kind of dashes.
pub(super) fn same_words(a: &str, b: &str) -> bool {
    words(a).eq(words(b))
}

/// The beginning of a text, for messages.
pub(super) fn excerpt(text: &str) -> String {
    let mut chars = text.chars();
    let mut out: String = chars
        .by_ref()
        .take(60)
        .map(|c| if c == '\t' { ' ' } else { c })
        .collect();
    if chars.next().is_some() {
        out.push('…');
    }
    out
}

/// One line without odd white space, invisible characters and bold marks.
fn normalise(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for c in raw.chars() {
        match c {
            '\u{200b}'..='\u{200f}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{ad}'
            | '\u{202a}'..='\u{202e}' => {}
            '\t' => out.push('\t'),
            c if c.is_whitespace() || c.is_control() => out.push(' '),
            c => out.push(c),
        }
    }
    if out.contains("**") {
        out = out.replace("**", "");
    }
    let trimmed = out.trim();
    if trimmed.len() == out.len() {
        out
    } else {
        trimmed.to_owned()
    }
}

/// The lines of a text that are not blank. With `glued`, lines are taken apart where a heading or a
/// fixed sentence was glued to its neighbour.
pub(super) fn lines(text: &str, glued: bool) -> Vec<Line> {
    let mut lines = Vec::new();
    // A fence counts only where it is closed again: from here on, with so many back-ticks.
    let mut fence: Option<(usize, usize)> = None;
    for (at, raw) in text.split('\n').enumerate() {
        let raw = raw.trim_end();
        let ticks = raw.trim_start().bytes().take_while(|b| *b == b'`').count();
        if ticks >= 3 {
            match fence {
                Some((from, opened)) if ticks >= opened && raw.trim() == "`".repeat(ticks) => {
                    for line in lines.iter_mut().skip(from) {
                        let line: &mut Line = line;
                        line.fenced = true;
                        line.level = 0;
                    }
                    fence = None;
                }
                Some(_) => {}
                None => fence = Some((lines.len(), ticks)),
            }
            continue;
        }
        let mut text = normalise(raw);
        if text.is_empty() && fence.is_none() {
            continue;
        }
        let hashes = text.bytes().take_while(|b| *b == b'#').count();
        let mut level = 0;
        if (1..=6).contains(&hashes)
            && let Some(rest) = text
                .get(hashes..)
                .filter(|rest| rest.starts_with([' ', '\t']))
        {
            level = hashes;
            text = rest.trim().to_owned();
        }
        lines.push(Line {
            number: at + 1,
            text,
            raw: raw.to_owned(),
            level,
            fenced: false,
        });
    }
    lines.retain(|line| line.fenced || !line.text.is_empty());
    if glued {
        super::glue::unglue(lines)
    } else {
        lines
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(text: &str) -> Vec<(usize, String)> {
        lines(text, true)
            .into_iter()
            .map(|l| (l.number, l.text))
            .collect()
    }

    #[test]
    fn white_space_and_marks_go_and_numbers_stay() {
        assert_eq!(
            texts("\u{a0}**GPU:**\u{202f}H200\u{200b} \r\n\n\n## Engine  "),
            [(1, "GPU: H200".to_owned()), (4, "Engine".to_owned())]
        );
    }

    #[test]
    fn glued_headings_and_sentences_are_taken_apart() {
        let got = texts(
            "vllm serve '{\"a\":1}'Prefill\nprompt tok/s by context length8K context22.5K363 ms TTFT\nx, columns are simultaneous requests| Context | 1 |\nit excludes prefill.All measurements\nLatencies are medians. Total tok/s is output across all simultaneous requests.| Phase | Context |",
        );
        let got: Vec<&str> = got.iter().map(|(_, t)| t.as_str()).collect();
        assert_eq!(
            got,
            [
                "vllm serve '{\"a\":1}'",
                "Prefill",
                "prompt tok/s by context length",
                "8K context22.5K363 ms TTFT",
                "x, columns are simultaneous requests",
                "| Context | 1 |",
                "it excludes prefill.",
                "All measurements",
                "Latencies are medians. Total tok/s is output across all simultaneous requests.",
                "| Phase | Context |",
            ]
        );
    }

    #[test]
    fn a_heading_that_stands_alone_is_not_looked_for_in_other_lines() {
        assert_eq!(texts("serve --mode=Prefill\nPrefill").len(), 2);
        assert_eq!(texts("serve --mode Prefill\n8K context").len(), 2);
    }

    #[test]
    fn comments_in_a_fence_are_no_headings() {
        let got = lines("# T\n```sh\n# not a heading\n```\n```\n# open", false);
        let got: Vec<(usize, bool)> = got.iter().map(|l| (l.level, l.fenced)).collect();
        assert_eq!(got, [(1, false), (0, true), (1, false)]);
    }
}
