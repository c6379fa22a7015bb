//! Lines into which several were glued (a heading to the text before or after it, a sentence to the
//! table below it) are taken apart.

use super::lines::{Heading, Line, OPENERS, is_dash};

/// Most parts that one line is taken apart into: more than any page glues, and few enough for a
/// hostile line to cost little.
const MOST_PARTS: usize = 8;

/// Takes glued lines apart.
pub(super) fn unglue(lines: Vec<Line>) -> Vec<Line> {
    let alone: Vec<Heading> = lines.iter().filter_map(Line::heading).collect();
    let mut out: Vec<Line> = Vec::with_capacity(lines.len() + 8);
    let mut rest = lines.into_iter().peekable();
    while let Some(mut line) = rest.next() {
        if line.fenced {
            out.push(line);
            continue;
        }
        for _ in 0..MOST_PARTS {
            let Some((front, back)) = split_front(&line.text) else {
                break;
            };
            out.push(piece(&line, front));
            line = piece(&line, back);
        }
        let next = rest.peek().map(|l| l.text.as_str()).unwrap_or_default();
        match split_back(&line, &alone, next) {
            Some((front, back)) => out.extend([front, back]),
            None => out.push(line),
        }
    }
    out
}

fn piece(line: &Line, text: &str) -> Line {
    Line {
        number: line.number,
        text: text.trim().to_owned(),
        raw: text.trim().to_owned(),
        level: 0,
        fenced: false,
    }
}

/// A heading, a fixed sentence, or anything before the head of a table, glued to what follows.
fn split_front(text: &str) -> Option<(&str, &str)> {
    for (_, sentence) in OPENERS {
        if let Some(rest) = text.strip_prefix(sentence)
            && !rest.is_empty()
        {
            return Some((sentence, rest));
        }
    }
    for (heading, words) in Heading::WORDS {
        if let Some(rest) = text.strip_prefix(words)
            && follows(*heading, rest)
        {
            return Some((words, rest));
        }
    }
    if let Some(at) = text.find('|').filter(|at| *at > 0) {
        let (front, back) = text.split_at_checked(at)?;
        let first = back.trim_start_matches(['|', ' ']);
        if first.starts_with("Context") || first.starts_with("Phase") {
            return Some((front, back));
        }
    }
    if let Some((first, _)) = text.split_once('\t') {
        for word in ["Context", "Phase"] {
            if let Some(front) = first.trim_end().strip_suffix(word)
                && !front.is_empty()
            {
                return text.split_at_checked(front.len());
            }
        }
    }
    if let Some(at) = text.find(".TTFT is ") {
        return text.split_at_checked(at + 1);
    }
    None
}

/// Whether `rest`, glued to a heading, is the beginning of its section.
fn follows(heading: Heading, rest: &str) -> bool {
    let glued = rest.chars().next().is_some_and(|c| !c.is_whitespace());
    let rest = rest.trim_start();
    match heading {
        Heading::Page => glued && rest.starts_with(char::is_alphanumeric),
        Heading::Hardware | Heading::Engine | Heading::Run | Heading::Model | Heading::Method => {
            let item = rest.trim_start_matches(|c: char| is_dash(c) || c == ' ');
            let label = item.split(':').next().unwrap_or_default();
            glued && label.len() < 60 && super::facts::Key::read(label).is_some()
        }
        Heading::Launch => glued && !rest.starts_with([':', '.', ',']),
        Heading::Prefill => rest.starts_with("prompt tok/s"),
        Heading::Decode => rest.starts_with("total tok/s"),
        Heading::All => {
            rest.starts_with("Latencies") || rest.starts_with("Phase") || rest.starts_with('|')
        }
        Heading::Burst | Heading::Notes => false,
    }
}

/// A heading glued to the end of a line, as in `}'Prefill`.
fn split_back(line: &Line, alone: &[Heading], next: &str) -> Option<(Line, Line)> {
    if line.tabular() && !line.text.ends_with("All measurements") && !line.text.ends_with("Prefill")
    {
        return None;
    }
    for (heading, words) in Heading::WORDS {
        let Some(front) = line.text.strip_suffix(words) else {
            continue;
        };
        let glued = front.ends_with(|c: char| !c.is_whitespace());
        let continues = OPENERS
            .iter()
            .any(|(of, sentence)| of == heading && next.starts_with(sentence));
        if front.is_empty()
            || alone.contains(heading)
            || matches!(heading, Heading::Page | Heading::Burst | Heading::Notes)
            || !(glued || continues)
        {
            continue;
        }
        let mut first = line.clone();
        first.text = front.trim().to_owned();
        first.raw = line.raw.strip_suffix(words).unwrap_or(front).to_owned();
        return Some((first, piece(line, words)));
    }
    None
}
