//! The head of a report: title, the line of counts below it, author and date. Finds them among a
//! site's navigation, and takes the line of counts apart.

use super::facts::{is_times, measured, split_times};
use super::grammar::label;
use super::lines::{Heading, Line, is_dash, opener};
use super::numbers::{Notation, number, whole};
use super::seen::{Problems, Report, Subtitle};
use crate::run::{Fact, FactValue};

/// Where the head's lines are: indexes into the lines of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Located {
    /// The title.
    pub title: Option<usize>,
    /// The line of counts.
    pub subtitle: Option<usize>,
    /// The first line after the title; what is before is no part of the report.
    pub start: usize,
}

/// Finds the head.
pub(super) fn locate(lines: &[Line], notation: Notation) -> Located {
    let subtitle = lines.iter().position(|line| {
        !line.fenced && !line.tabular() && parse_subtitle(&line.text, line.number).is_some()
    });
    let page = |line: &Line| line.heading() == Some(Heading::Page);
    let title = if notation == Notation::Own {
        lines.iter().position(|line| line.level == 1)
    } else {
        // Nearest to the line of counts, else after the page's kind, else by its form alone.
        let before = lines.get(..subtitle.unwrap_or(0)).unwrap_or_default();
        before
            .iter()
            .rposition(|line| parse_title(&line.text).is_some())
            .or_else(|| {
                let end = subtitle.unwrap_or(lines.len());
                let at = lines.get(..end)?.iter().rposition(page)? + 1;
                let line = lines.get(at).filter(|_| at < end)?;
                (line.heading().is_none() && opener(&line.text).is_none() && !line.tabular())
                    .then_some(at)
            })
            .or_else(|| {
                lines
                    .iter()
                    .position(|line| parse_title(&line.text).is_some_and(|t| t.memory.is_some()))
                    .filter(|_| subtitle.is_none())
            })
    };
    let start = match (title, subtitle) {
        (Some(title), _) => title + 1,
        (None, Some(subtitle)) => subtitle,
        (None, None) => lines
            .iter()
            .position(|line| page(line) || line.heading().is_some() || opener(&line.text).is_some())
            .unwrap_or(0),
    };
    Located {
        title,
        subtitle,
        start,
    }
}

/// The parts of a title.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Title {
    model: String,
    gpu: String,
    memory: Option<f64>,
    count: Option<u64>,
}

/// "MODEL on GPU 141GB ×4"; memory and count may be absent, but not the GPU.
pub(super) fn parse_title(text: &str) -> Option<Title> {
    if text.len() > 400 || text.contains('\t') {
        return None;
    }
    let (model, hardware) = text.rsplit_once(" on ")?;
    let mut rest = hardware.trim();
    let mut title = Title {
        model: model.trim().to_owned(),
        ..Title::default()
    };
    let digits = rest.len() - rest.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    if let Some((front, count)) = rest.split_at_checked(rest.len() - digits)
        && let Some(bare) = front.trim_end().strip_suffix(is_times)
        && bare.ends_with(|c: char| c.is_whitespace() || c == 'B')
    {
        title.count = Some(whole(count)?);
        rest = bare.trim_end();
    }
    if let Some(bare) = rest.strip_suffix("GB") {
        let bare = bare.trim_end();
        let digits = bare.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        if let Some((gpu, memory)) = bare.split_at_checked(digits.len())
            && let Ok(memory) = number(memory, Notation::Foreign)
        {
            title.memory = Some(memory.value);
            rest = gpu.trim_end();
        }
    }
    title.gpu = rest.to_owned();
    (!title.model.is_empty() && !title.gpu.is_empty()).then_some(title)
}

/// Takes the facts from the title; what the blocks of facts say must agree.
pub(super) fn apply_title(report: &mut Report, problems: &mut Problems, line: &Line) {
    let title = parse_title(&line.text).unwrap_or_else(|| Title {
        model: line.text.clone(),
        ..Title::default()
    });
    let number = line.number;
    let facts = &mut report.facts;
    let name = match title.model.rsplit_once('/') {
        Some((_, name)) => {
            let id = FactValue::Text(title.model.clone());
            facts.set(problems, Fact::ModelId, id, number);
            name.to_owned()
        }
        None => title.model,
    };
    facts.set(problems, Fact::ModelName, FactValue::Text(name), number);
    // "on CPU", "on 2 CPU threads": no name of a GPU.
    let mut words = title.gpu.split(|c: char| !c.is_alphanumeric());
    let cpu = title.memory.is_none() && words.any(|word| matches!(word, "CPU" | "CPUs" | "cpu"));
    if !cpu {
        facts.set(problems, Fact::Gpu, FactValue::Text(title.gpu), number);
    }
    if let Some(count) = title.count {
        facts.set(problems, Fact::GpuCount, FactValue::Count(count), number);
    }
    if let Some(memory) = title.memory {
        let memory = FactValue::Number(memory);
        facts.set(problems, Fact::VramGbPerGpu, memory, number);
    }
}

/// A sum of memory without the count is that of one GPU where there is one.
pub(super) fn settle_vram(report: &mut Report) {
    let facts = &mut report.facts;
    let Some((total, line)) = facts.get(Fact::VramGb).cloned() else {
        return;
    };
    let one = matches!(facts.get(Fact::GpuCount), Some((FactValue::Count(1), _)));
    if one {
        facts.set_if_absent(Fact::VramGbPerGpu, total, line);
    }
}

/// "ENGINE · VERSION · QUANTIZATION6 contexts (8K–251K) × 8 concurrency levels (1–128) · prefill at
/// 8K, 16K".
pub(super) fn parse_subtitle(text: &str, line: usize) -> Option<Subtitle> {
    if text.len() > 4000 {
        return None;
    }
    let mut found = None;
    for (at, _) in text.match_indices("context") {
        let (before, after) = text.split_at_checked(at)?;
        let digits = before
            .trim_end()
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .len();
        let (front, count) = before.trim_end().split_at_checked(digits)?;
        let rest = after.strip_prefix("context")?;
        let rest = rest.strip_prefix('s').unwrap_or(rest).trim_start();
        if !count.is_empty() && (rest.starts_with('(') || rest.contains("concurrency level")) {
            found = Some((front, count, rest));
            break;
        }
    }
    let (front, count, rest) = found?;
    let mut subtitle = Subtitle {
        line,
        ..Subtitle::default()
    };
    let apart = front.is_empty() || front.ends_with([' ', '·', '•']);
    let mut segments: Vec<&str> = front.split(['·', '•']).map(str::trim).collect();
    if segments.last().is_some_and(|last| last.is_empty()) {
        segments.pop();
    }
    // Apart from the number, one or two parts are engine and version.
    let last = if apart && segments.len() < 3 {
        ""
    } else {
        segments.pop().unwrap_or_default()
    };
    let owned = |text: &&str| (!text.is_empty()).then(|| (*text).to_owned());
    subtitle.engine = segments.first().and_then(owned);
    subtitle.version = segments.get(1).and_then(owned);
    for at in 0..count.len().min(12) {
        let (quantization, number) = count.split_at_checked(at)?;
        if (at > 0 && apart) || (number.len() > 1 && number.starts_with('0')) {
            continue;
        }
        if let Ok(number) = number.parse() {
            let quantization = format!("{last}{quantization}");
            subtitle.readings.push((quantization, number));
        }
    }
    let (range, rest) = parenthesis(rest);
    subtitle.contexts = range.and_then(|range| {
        let (first, last) = range.split_once(is_dash).unwrap_or((range, range));
        Some((
            label(first, Notation::Foreign)?,
            label(last, Notation::Foreign)?,
        ))
    });
    let mut rest = rest;
    if let Some((_, levels)) = split_times(rest).filter(|(before, _)| before.trim().is_empty())
        && let Some(at) = levels.find("concurrency level")
    {
        let (count, after) = levels.split_at_checked(at)?;
        subtitle.levels = whole(count);
        let after = after.strip_prefix("concurrency level")?;
        let (range, after) = parenthesis(after.strip_prefix('s').unwrap_or(after).trim_start());
        subtitle.level_range = range.and_then(|range| {
            let (first, last) = range.split_once(is_dash).unwrap_or((range, range));
            Some((whole(first)?, whole(last)?))
        });
        rest = after;
    }
    if let Some((_, list)) = rest.split_once("prefill at") {
        let mut labels = Vec::new();
        let mut tail = list.trim_start();
        loop {
            let end = tail
                .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
                .len();
            let mut end = tail.len() - end;
            let unit = tail.get(end..).unwrap_or_default();
            if unit.starts_with(['K', 'k', 'M']) {
                end += 1;
            }
            let Some((word, after)) = tail.split_at_checked(end) else {
                break;
            };
            let Some(word) = label(word, Notation::Foreign) else {
                break;
            };
            labels.push(word);
            tail = after.trim_start();
            match tail.strip_prefix([',', '·']) {
                Some(next) => tail = next.trim_start(),
                None => break,
            }
        }
        subtitle.prefill = Some(labels);
        subtitle.rest = tail.to_owned();
    }
    Some(subtitle)
}

/// A parenthesis at the beginning, and what follows.
fn parenthesis(text: &str) -> (Option<&str>, &str) {
    match text.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((inner, rest)) => (Some(inner), rest),
        None => (None, text),
    }
}

/// Takes engine, version and quantization from the line of counts; the number of contexts is left
/// to the cross-checks. Our own pages say all facts in their blocks, so there only the counts are
/// taken.
pub(super) fn apply_subtitle(report: &mut Report, problems: &mut Problems, notation: Notation) {
    let Some(subtitle) = &mut report.subtitle else {
        return;
    };
    if notation == Notation::Own {
        for (quantization, _) in &mut subtitle.readings {
            quantization.clear();
        }
        return;
    }
    for (fact, value) in [
        (Fact::EngineName, &subtitle.engine),
        (Fact::EngineVersion, &subtitle.version),
    ] {
        if let Some(value) = value {
            let value = FactValue::Text(value.clone());
            report.facts.set(problems, fact, value, subtitle.line);
        }
    }
}

/// Reads a line of author and date: "by @name badgeMeasured Sep 13, 2026". False where it is none.
pub(super) fn byline(
    report: &mut Report,
    problems: &mut Problems,
    text: &str,
    line: usize,
    notation: Notation,
) -> bool {
    if text.len() > 1000 {
        return false;
    }
    if notation == Notation::Own {
        let mut any = false;
        for part in text.split(['·', '•']).map(str::trim) {
            any |= byline_part(report, problems, part, line, notation);
        }
        return any;
    }
    byline_part(report, problems, text, line, notation)
}

fn byline_part(
    report: &mut Report,
    problems: &mut Problems,
    text: &str,
    line: usize,
    notation: Notation,
) -> bool {
    if let Some(date) = text.strip_prefix("Measured ") {
        measured(&mut report.facts, problems, date, line);
        return true;
    }
    let Some(rest) = text
        .strip_prefix("by ")
        .or_else(|| text.strip_prefix("By "))
    else {
        return false;
    };
    let (names, date) = match rest.find("Measured ") {
        Some(at) => rest.split_at_checked(at).unwrap_or((rest, "")),
        None => (rest, ""),
    };
    let names = names
        .trim()
        .trim_end_matches(['·', '•'])
        .trim_end()
        .trim_start_matches(['·', '•']);
    let (author, badge) = match names.split_once(char::is_whitespace) {
        Some((author, badge)) if author.starts_with('@') && notation == Notation::Foreign => {
            (author, badge.trim().trim_start_matches(['·', '•']).trim())
        }
        _ => (names, ""),
    };
    let value = FactValue::Text(author.to_owned());
    report.facts.set(problems, Fact::Author, value, line);
    if !badge.is_empty() {
        report.tags.push(badge.to_owned());
    }
    if let Some(date) = date.strip_prefix("Measured ") {
        measured(&mut report.facts, problems, date, line);
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_may_lack_memory_and_count() {
        let title = |text| parse_title(text).unwrap();
        let full = title("Qwen3.5-397B-A17B-NVFP4-V2 on H200 SXM 141GB ×4");
        assert_eq!(full.model, "Qwen3.5-397B-A17B-NVFP4-V2");
        assert_eq!(full.gpu, "H200 SXM");
        assert_eq!((full.memory, full.count), (Some(141.0), Some(4)));
        assert_eq!(
            title("a on RTX 4090 24 GB x 2"),
            title("a on RTX 4090 24GB ×2")
        );
        let bare = title("Mistral on the moon on RTX 4090");
        assert_eq!(
            (bare.model.as_str(), bare.gpu.as_str()),
            ("Mistral on the moon", "RTX 4090")
        );
        assert_eq!((bare.memory, bare.count), (None, None));
        assert_eq!(parse_title("Qwen3"), None);
    }

    #[test]
    fn the_number_of_contexts_is_left_open_where_it_was_glued() {
        let subtitle = parse_subtitle(
            "vllm · 0.28.1rc1 · NVFP4+FP86 contexts (8K–251K) × 8 concurrency levels (1–128) · prefill at 8K, 16Kby @x",
            3,
        )
        .unwrap();
        assert_eq!(subtitle.engine.as_deref(), Some("vllm"));
        assert_eq!(subtitle.version.as_deref(), Some("0.28.1rc1"));
        assert_eq!(
            subtitle.readings,
            [("NVFP4+FP".to_owned(), 86), ("NVFP4+FP8".to_owned(), 6)]
        );
        assert_eq!(
            subtitle.contexts,
            Some(("8K".to_owned(), "251K".to_owned()))
        );
        assert_eq!(subtitle.levels, Some(8));
        assert_eq!(subtitle.level_range, Some((1, 128)));
        assert_eq!(
            subtitle.prefill,
            Some(vec!["8K".to_owned(), "16K".to_owned()])
        );
        assert_eq!(subtitle.rest, "by @x");
    }

    #[test]
    fn one_context_and_one_level_stand_without_s_and_range() {
        let subtitle = parse_subtitle(
            "vllm · 1.0 · FP8 · 1 context (1M) x 1 concurrency level (4)",
            1,
        )
        .unwrap();
        assert_eq!(subtitle.readings, [("FP8".to_owned(), 1)]);
        assert_eq!(subtitle.contexts, Some(("1M".to_owned(), "1M".to_owned())));
        assert_eq!(subtitle.level_range, Some((4, 4)));
        assert_eq!(subtitle.prefill, None);
        assert_eq!(parse_subtitle("prompt tok/s by context length", 1), None);
        assert_eq!(parse_subtitle("128K context windows are fine", 1), None);
    }
}
