//! Facts: the blocks of labels and values, and the values that hold more than one fact (VRAM, the
//! benchmark tool, the date).

use super::lines::{excerpt, is_dash, same_words};
use super::numbers::{Notation, number, whole};
use super::seen::{Given, Problems};
use crate::diagnostic::Code;
use crate::run::fact::Kind;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, FactValue};

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Key {
    /// One fact.
    Fact(Fact),
    /// "564 GB (4 × 141 GB)".
    Vram,
    /// "llm-inference-bench v0.6.2".
    Tool,
    /// Words to find the run by, with commas between.
    Tags,
}

impl Key {
    /// The key with this label, whatever its case and white space.
    pub fn read(label: &str) -> Option<Self> {
        if label.len() > 60 || label.is_empty() {
            return None;
        }
        let label = label.trim().trim_end_matches(':');
        if same_words(label, "Tags") {
            return Some(Key::Tags);
        }
        let fact = Fact::ALL
            .iter()
            .find(|fact| same_words(fact.info().label, label))?;
        Some(match fact {
            Fact::VramGb => Key::Vram,
            Fact::Tool => Key::Tool,
            fact => Key::Fact(*fact),
        })
    }
}

/// A label and its value in one line, where the label is known.
pub(super) fn labelled(text: &str) -> Option<(Key, &str)> {
    let (label, value) = text.split_once(':')?;
    let value = value.trim();
    (!value.is_empty())
        .then(|| Key::read(label))
        .flatten()
        .map(|key| (key, value))
}

/// A known label followed by a colon within a value: what stands before it, the label, and the
/// whole of it with its own value.
pub(super) fn second_label(value: &str) -> Option<(&str, &str, &str)> {
    if value.len() > 1000 {
        return None;
    }
    for (colon, _) in value.match_indices(':') {
        let before = value.get(..colon)?.trim_end();
        // The longest label that ends here, at the beginning of a word or glued to the value.
        let label = Fact::ALL
            .iter()
            .map(|fact| fact.info().label)
            .filter(|label| before.ends_with(label))
            .max_by_key(|label| label.len());
        if let Some(label) = label {
            let at = before.len() - label.len();
            return Some((value.get(..at)?, label, value.get(at..)?));
        }
    }
    None
}

/// Reads the value of a fact.
pub(super) fn read(
    given: &mut Given,
    tags: &mut Vec<String>,
    problems: &mut Problems,
    key: Key,
    value: &str,
    line: usize,
    notation: Notation,
) {
    match key {
        Key::Tags => tags.extend(
            value
                .split(',')
                .map(|tag| tag.trim().to_owned())
                .filter(|tag| !tag.is_empty()),
        ),
        Key::Vram => vram(given, problems, value, line),
        Key::Tool => {
            let (tool, version) = tool(value);
            given.set(problems, Fact::Tool, FactValue::Text(tool.to_owned()), line);
            if let Some(version) = version {
                let version = FactValue::Text(version.to_owned());
                given.set(problems, Fact::ToolVersion, version, line);
            }
        }
        Key::Fact(fact) => match fact.info().kind {
            Kind::Text | Kind::Lines | Kind::Url => {
                let value = match notation {
                    Notation::Own => value.trim_matches(['<', '>']),
                    Notation::Foreign => value,
                };
                given.set(problems, fact, FactValue::Text(value.to_owned()), line);
            }
            Kind::Time => measured(given, problems, value, line),
            Kind::Count | Kind::Number => match quantity(fact, value, notation) {
                Ok(value) => given.set(problems, fact, value, line),
                Err(message) => {
                    let problem = problems
                        .at(Code::BadNumber, line, message)
                        .help(format!("write {} as in 1,078.8", fact.info().label));
                    problems.add(problem);
                }
            },
        },
    }
}

/// A whole number or a number with the one unit that its fact has.
fn quantity(fact: Fact, text: &str, notation: Notation) -> Result<FactValue, String> {
    let label = fact.info().label;
    let units: &[&str] = match fact {
        Fact::SecondsPerMeasurement => &["s", "sec", "seconds", "second"],
        Fact::VramGbPerGpu | Fact::VramGb | Fact::RamGb => &["GB"],
        Fact::MaxOutputTokens | Fact::KvCacheTokens => &["tokens", "token"],
        Fact::RequestsPerMeasurement => &["requests", "request"],
        _ => &[],
    };
    let end = text.trim_end_matches(|c: char| c.is_alphabetic()).len();
    let (digits, unit) = match text.split_at_checked(end) {
        // "13.7K" is one number.
        Some((digits, unit)) if !matches!(unit, "K" | "k" | "M") => (digits, unit),
        _ => (text, ""),
    };
    if !unit.is_empty() && !units.iter().any(|known| known.eq_ignore_ascii_case(unit)) {
        return Err(format!(
            "{label} “{}” is not a number{}",
            excerpt(text),
            match units.first() {
                Some(known) => format!(" in {known}"),
                None => String::new(),
            }
        ));
    }
    let figure = number(digits, notation).map_err(|error| format!("{label} {}", error.message))?;
    match fact.info().kind {
        Kind::Count if figure.value.fract() != 0.0 || figure.value > 9e15 => {
            Err(format!("{label} “{}” is not a whole number", excerpt(text)))
        }
        Kind::Count => Ok(FactValue::Count(figure.value as u64)),
        _ => Ok(FactValue::Number(figure.value)),
    }
}

/// "llm-inference-bench v0.6.2": the program, and its version.
fn tool(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(' ') {
        Some((tool, version)) => {
            let bare = version.strip_prefix(['v', 'V']).unwrap_or(version);
            if bare.starts_with(|c: char| c.is_ascii_digit()) {
                (tool.trim(), Some(bare))
            } else {
                (text, None)
            }
        }
        None => (text, None),
    }
}

/// "564 GB (4 × 141 GB)", "24 GB" of all GPUs together, or "24 GB each".
fn vram(given: &mut Given, problems: &mut Problems, text: &str, line: usize) {
    let bad = |problems: &mut Problems, what: &str| {
        let message = format!("VRAM “{}” {what}", excerpt(text));
        let problem = problems
            .at(Code::BadNumber, line, message)
            .help("write it as in 564 GB (4 × 141 GB)");
        problems.add(problem);
    };
    let (total, product) = match text.split_once('(') {
        Some((total, rest)) => (total, Some(rest.trim_end().trim_end_matches(')'))),
        None => (text, None),
    };
    let gigabytes = |text: &str| {
        let text = text.trim();
        let bare = text
            .strip_suffix("GB")
            .or_else(|| text.strip_suffix("Gb"))?;
        number(bare, Notation::Foreign).ok()
    };
    if let Some(each) = text.strip_suffix("each").and_then(gigabytes) {
        let each = FactValue::Number(each.value);
        given.set(problems, Fact::VramGbPerGpu, each, line);
        return;
    }
    let Some(total) = gigabytes(total) else {
        return bad(problems, "is not a number of GB");
    };
    let Some(product) = product else {
        given.set(problems, Fact::VramGb, FactValue::Number(total.value), line);
        return;
    };
    let factors =
        split_times(product).and_then(|(count, each)| Some((whole(count)?, gigabytes(each)?)));
    let Some((count, each)) = factors else {
        return bad(problems, "does not say how many GPUs have how much");
    };
    let slack = total.half_step() + count as f64 * each.half_step();
    if (total.value - count as f64 * each.value).abs() > slack {
        return bad(problems, "is no product of its two numbers");
    }
    given.set(problems, Fact::GpuCount, FactValue::Count(count), line);
    let each = FactValue::Number(each.value);
    given.set(problems, Fact::VramGbPerGpu, each, line);
}

/// Splits at the first times sign.
pub(super) fn split_times(text: &str) -> Option<(&str, &str)> {
    text.split_once(is_times)
}

/// Whether this stands for ×.
pub(super) fn is_times(c: char) -> bool {
    matches!(c, '×' | 'x' | 'X' | '*' | '✕' | '⨯')
}

/// "Sep 13, 2026, 02:25 UTC", or RFC 3339.
pub(super) fn measured(given: &mut Given, problems: &mut Problems, text: &str, line: usize) {
    let text: String = text
        .trim()
        .trim_end_matches("(time zone not given)")
        .chars()
        .take(80)
        .map(|c| if is_dash(c) { '-' } else { c })
        .collect();
    match date(&text) {
        Some((time, zone)) => {
            if let Some(zone) = zone {
                let problem = problems
                    .at(
                        Code::UnknownLine,
                        line,
                        format!(
                            "the time zone “{}” is not known; the time is kept without one",
                            excerpt(&zone)
                        ),
                    )
                    .help("give `timezone` in the sidecar");
                problems.add(problem);
            }
            let time = FactValue::Text(time.to_rfc3339());
            given.set(problems, Fact::MeasuredAt, time, line);
        }
        None => {
            let problem = problems
                .at(
                    Code::UnknownLine,
                    line,
                    format!(
                        "the date “{}” cannot be read and is left out",
                        excerpt(&text)
                    ),
                )
                .help("write it as in Sep 13, 2026, 02:25 UTC");
            problems.add(problem);
        }
    }
}

/// A date with an optional time and zone, and the zone's words where they are not understood.
fn date(text: &str) -> Option<(MeasuredAt, Option<String>)> {
    if let Ok(time) = MeasuredAt::parse(text) {
        return Some((time, None));
    }
    let mut words = text
        .split([' ', ',', '\t'])
        .filter(|word| !word.is_empty() && *word != "·");
    let (mut year, mut month, mut day) = (None, None, None);
    for word in words.by_ref().take(3) {
        let plain = word.trim_end_matches(['.', ',']);
        let digits = plain.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        if let Some(number) = month_number(plain) {
            month.get_or_insert(number);
        } else if digits.len() == 4 && digits.bytes().all(|b| b.is_ascii_digit()) {
            year.get_or_insert(digits.to_owned());
        } else {
            day.get_or_insert(digits.parse::<u8>().ok()?);
        }
    }
    let date = format!("{}-{:02}-{:02}", year?, month?, day?);
    let Some(clock) = words.next() else {
        return Some((MeasuredAt::parse(&date).ok()?, None));
    };
    let rest: Vec<&str> = words.collect();
    let (half, zone) = match rest.split_first() {
        Some((word, zone)) if ["AM", "PM"].contains(&word.to_ascii_uppercase().as_str()) => {
            (word.to_ascii_uppercase(), zone.join(" "))
        }
        _ => (String::new(), rest.join(" ")),
    };
    let clock = twelve_hours(clock, &half)?;
    let upper = zone.to_ascii_uppercase();
    let offset = upper
        .trim_start_matches("UTC")
        .trim_start_matches("GMT")
        .trim();
    let offset = match offset {
        "" if zone.is_empty() => "",
        "" => "Z",
        offset => offset,
    };
    match MeasuredAt::parse(&format!("{date}T{clock}{offset}")) {
        Ok(time) => Some((time, None)),
        Err(_) => {
            let time = MeasuredAt::parse(&format!("{date}T{clock}")).ok()?;
            Some((time, Some(zone)))
        }
    }
}

/// A time of day in 24 hours.
fn twelve_hours(clock: &str, half: &str) -> Option<String> {
    if half.is_empty() {
        return Some(clock.to_owned());
    }
    let (hour, minutes) = clock.split_once(':')?;
    let hour: u8 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    let hour = hour % 12 + if half == "PM" { 12 } else { 0 };
    Some(format!("{hour:02}:{minutes}"))
}

fn month_number(word: &str) -> Option<u8> {
    const MONTHS: [&str; 12] = [
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
    ];
    let word = word.to_lowercase();
    let at = MONTHS
        .iter()
        .position(|month| word.len() >= 3 && month.starts_with(&word))
        .or_else(|| (word == "sept").then_some(8))?;
    u8::try_from(at + 1).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(lines: &[(Key, &str)]) -> (crate::run::Facts, Vec<String>, Vec<String>) {
        let mut problems = Problems::new("a.txt");
        let mut given = Given::default();
        for (at, (key, value)) in lines.iter().enumerate() {
            let line = at + 1;
            read(
                &mut given,
                &mut Vec::new(),
                &mut problems,
                *key,
                value,
                line,
                Notation::Foreign,
            );
        }
        let texts = |list: &[crate::diagnostic::Diagnostic]| {
            list.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        (
            given.into_facts(),
            texts(&problems.errors),
            texts(&problems.warnings),
        )
    }

    #[test]
    fn values_with_several_facts_are_taken_apart() {
        let (facts, errors, warnings) = facts(&[
            (Key::Fact(Fact::GpuCount), "4"),
            (Key::Vram, "564 GB (4 × 141 GB)"),
            (Key::Tool, "llm-inference-bench v0.6.2"),
            (Key::Fact(Fact::SecondsPerMeasurement), "30 s"),
            (Key::Fact(Fact::MaxOutputTokens), "4,096 tokens"),
        ]);
        assert!(errors.is_empty() && warnings.is_empty(), "{errors:?}");
        assert_eq!(facts.count(Fact::GpuCount), Some(4));
        assert_eq!(facts.number(Fact::VramGbPerGpu), Some(141.0));
        assert_eq!(facts.text(Fact::Tool), Some("llm-inference-bench"));
        assert_eq!(facts.text(Fact::ToolVersion), Some("0.6.2"));
        assert_eq!(facts.number(Fact::SecondsPerMeasurement), Some(30.0));
        assert_eq!(facts.count(Fact::MaxOutputTokens), Some(4096));
    }

    #[test]
    fn numbers_that_contradict_each_other_or_have_another_unit_are_errors() {
        let (_, errors, _) = facts(&[
            (Key::Fact(Fact::GpuCount), "2"),
            (Key::Vram, "564 GB (4 x 141 GB)"),
        ]);
        assert_eq!(
            errors,
            [
                "error[E0202]: GPU count is 4 here, and 2 in another line\n --> a.txt:2\n  | a.txt:1: GPU count: 2\nhelp: correct the line that is wrong"
            ]
        );
        for (key, value) in [
            (Key::Vram, "600 GB (4 × 141 GB)"),
            (Key::Vram, "564"),
            (Key::Fact(Fact::SecondsPerMeasurement), "30 min"),
            (Key::Fact(Fact::MaxOutputTokens), "4.096 tokens"),
            (Key::Fact(Fact::GpuCount), "four"),
        ] {
            let (_, errors, _) = facts(&[(key, value)]);
            assert!(
                errors.len() == 1 && errors[0].starts_with("error[E0204]"),
                "{value}: {errors:?}"
            );
        }
    }

    #[test]
    fn dates_are_read_with_what_they_have() {
        for (text, expected) in [
            ("Sep 13, 2026, 02:25 UTC", "2026-09-13T02:25:00Z"),
            ("September 3, 2026", "2026-09-03"),
            ("13 Sep 2026 02:25", "2026-09-13T02:25:00"),
            (
                "Sep 13, 2026, 02:25 (time zone not given)",
                "2026-09-13T02:25:00",
            ),
            ("Sep 13, 2026, 02:25 UTC−04:00", "2026-09-13T02:25:00-04:00"),
            ("Sep 13, 2026, 2:25 PM GMT", "2026-09-13T14:25:00Z"),
            ("2026-09-13", "2026-09-13"),
        ] {
            let (facts, errors, warnings) = facts(&[(Key::Fact(Fact::MeasuredAt), text)]);
            assert!(errors.is_empty() && warnings.is_empty(), "{text}");
            assert_eq!(facts.text(Fact::MeasuredAt), Some(expected), "{text}");
        }
        let (known, _, warnings) =
            facts(&[(Key::Fact(Fact::MeasuredAt), "Sep 13, 2026, 02:25 PDT")]);
        assert_eq!(known.text(Fact::MeasuredAt), Some("2026-09-13T02:25:00"));
        assert!(warnings[0].contains("the time zone “PDT” is not known"));
        let (known, _, warnings) = facts(&[(Key::Fact(Fact::MeasuredAt), "yesterday")]);
        assert!(known.is_empty() && warnings[0].contains("cannot be read"));
    }
}
