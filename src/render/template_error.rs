//! What is wrong with a template, told to who wrote it: the file, the line and the column, and what
//! is known at that place. Reads the errors of the template engine.

use std::collections::BTreeSet;
use std::fmt;

use serde_json::Value;
use tera::ErrorKind;

use crate::diagnostic::{Code, Diagnostic, Place, nearest, sorted};
use crate::theme::{TemplateFile, Theme};

/// Templates that cannot be read or rendered: at least one problem.
#[derive(Debug)]
pub struct TemplateError(pub Vec<Diagnostic>);

impl TemplateError {
    /// Several as one.
    pub fn all(errors: impl IntoIterator<Item = Self>) -> Self {
        Self(sorted(errors.into_iter().flat_map(|e| e.0).collect()))
    }

    /// What went wrong on many pages, in their order: of problems at one place just the first.
    pub fn once_each(errors: impl IntoIterator<Item = Self>) -> Self {
        let mut seen = BTreeSet::new();
        let problems = errors.into_iter().flat_map(|e| e.0);
        let first = problems.filter(|problem| seen.insert(problem.place.clone()));
        Self(sorted(first.collect()))
    }
}

impl fmt::Display for TemplateError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let problems: Vec<String> = self.0.iter().map(ToString::to_string).collect();
        f.write_str(&problems.join("\n"))
    }
}

impl std::error::Error for TemplateError {}

/// What is wrong with the text of templates, or with the names in them.
pub(super) fn parsing(theme: &Theme, error: &tera::Error) -> TemplateError {
    let whole = |name: &str, message: String| {
        vec![Diagnostic::new(
            Code::TemplateName,
            place(theme, name, None),
            message,
        )]
    };
    TemplateError(match error.kind() {
        ErrorKind::SyntaxError(report) => vec![Diagnostic::new(
            Code::TemplateSyntax,
            place(theme, report.filename(), Some(report.span().range.start)),
            sentence(report.message()),
        )],
        ErrorKind::MissingParent { current, parent } => {
            let message = format!("there is no template `{parent}`, which this one extends");
            let near = nearest(parent, names(theme).iter().map(String::as_str))
                .map(|near| format!("did you mean `{near}`?"));
            whole(current, message)
                .into_iter()
                .map(|problem| problem.help(near.clone().unwrap_or_default()))
                .collect()
        }
        ErrorKind::CircularExtend {
            tpl,
            inheritance_chain: chain,
        }
        | ErrorKind::CircularInclude {
            tpl,
            include_chain: chain,
        } => {
            let mut chain = chain.clone();
            if chain.len() < 2 || chain.first() != chain.last() {
                chain.extend(chain.first().cloned());
            }
            let message = format!("templates lead in a circle: {}", chain.join(" → "));
            let help = "`default:NAME` is the default theme's template of that name";
            whole(tpl, message)
                .into_iter()
                .map(|problem| problem.help(help))
                .collect()
        }
        ErrorKind::Msg(text) => reports(theme, text),
        _ => vec![Diagnostic::new(
            Code::TemplateName,
            Place::file("templates"),
            with_causes(error),
        )],
    })
}

/// What is wrong with a template as it met the view of a page.
pub(super) fn rendering(
    theme: &Theme,
    template: &str,
    error: &tera::Error,
    view: &Value,
) -> TemplateError {
    let ErrorKind::RenderingError(report) = error.kind() else {
        let place = place(theme, template, None);
        return TemplateError(vec![Diagnostic::new(
            Code::TemplateField,
            place,
            with_causes(error),
        )]);
    };
    let at = report.span().range.start;
    let place = place(theme, report.filename(), Some(at));
    let source = theme
        .template(report.filename())
        .map_or("", |file| file.text.as_str());
    let problem = |message: String| Diagnostic::new(Code::TemplateField, place.clone(), message);
    let path = path_at(source, at);
    // The engine tells what is known where a path ends; where it does not, the view does.
    if let Some((message, known)) = report.message().split_once(" Available ") {
        let known: Vec<&str> = known
            .split_once(": ")
            .map_or(Vec::new(), |(_, list)| list.split(", ").collect());
        let missing = message.split('`').nth(1).unwrap_or_default();
        return TemplateError(vec![match message.contains("is not defined") {
            true => problem(unknown(path, missing)).help(help(missing, &known)),
            false => problem(sentence(message)).help(help(missing, &known)),
        }]);
    }
    if let Some((missing, known)) = missing_in(view, path) {
        let known: Vec<&str> = known.iter().map(String::as_str).collect();
        return TemplateError(vec![
            problem(unknown(path, missing)).help(help(missing, &known)),
        ]);
    }
    TemplateError(vec![problem(sentence(report.message()))])
}

/// Where a template is wrong, in the file as the user knows it.
fn place(theme: &Theme, name: &str, offset: Option<usize>) -> Place {
    match (theme.template(name), offset) {
        (Some(TemplateFile { shown, text, .. }), Some(offset)) => {
            Place::offset(shown, text, offset)
        }
        (Some(file), None) => Place::file(&file.shown),
        (None, _) => Place::file(name),
    }
}

/// Several problems that the engine tells in one text, each as `error: …` and ` --> file:line:column`.
fn reports(theme: &Theme, text: &str) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut message = None;
    for line in text.lines() {
        if let Some(what) = line.strip_prefix("error: ") {
            message = Some(what);
        } else if let Some(at) = line.trim_start().strip_prefix("--> ")
            && let Some(what) = message.take()
        {
            let mut parts = at.rsplitn(3, ':');
            let mut number = || parts.next().and_then(|part| part.parse::<usize>().ok());
            let (column, line) = (number(), number());
            let file = place(theme, parts.next().unwrap_or(at), None);
            let place = Place {
                line,
                column,
                ..file
            };
            let name = what.split('`').nth(1).unwrap_or_default();
            let known = known_names(theme, what);
            let known: Vec<&str> = known.iter().map(String::as_str).collect();
            let problem = Diagnostic::new(Code::TemplateName, place, sentence(what));
            problems.push(match known.is_empty() {
                true => problem,
                false => problem.help(help(name, &known)),
            });
        }
    }
    if problems.is_empty() {
        // "Component `x` is defined in both `a` and `b`"
        let mut quoted = text.split('`').skip(1).step_by(2).skip(1);
        let first = place(theme, quoted.next().unwrap_or("templates"), None);
        let problem = Diagnostic::new(Code::TemplateName, first, sentence(text));
        problems.push(match quoted.next() {
            Some(other) => problem.also(place(theme, other, None), "the other one"),
            None => problem,
        });
    }
    problems
}

/// What there is of the kind that a message of the engine is about.
fn known_names(theme: &Theme, message: &str) -> BTreeSet<String> {
    if message.starts_with("Unknown template") {
        names(theme)
    } else if message.starts_with("Unknown component") {
        declared(theme, "component")
    } else if message.starts_with("Block") {
        declared(theme, "block")
    } else {
        BTreeSet::new()
    }
}

/// The names of all templates, without prefixes.
fn names(theme: &Theme) -> BTreeSet<String> {
    theme
        .templates
        .iter()
        .map(|file| file.name.rsplit(':').next().unwrap_or_default().to_owned())
        .collect()
}

/// The names after `{% block` or `{% component` in the templates that extend no other.
fn declared(theme: &Theme, what: &str) -> BTreeSet<String> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let texts = theme.templates.iter().map(|file| file.text.as_str());
    texts
        .filter(|text| !text.contains(" extends "))
        .flat_map(|text| text.split("{%"))
        .filter_map(|tag| {
            let tag = tag.trim_start_matches('-').trim_start();
            let name = tag.strip_prefix(what)?.trim_start();
            name.split(|c| !is_word(c)).next().map(str::to_owned)
        })
        .filter(|name| !name.is_empty())
        .collect()
}

/// The dotted path that stands around an offset of a template, as `page.title`.
fn path_at(source: &str, at: usize) -> &str {
    let is_path = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (before, after) = source.split_at_checked(at).unwrap_or((source, ""));
    let start = before.trim_end_matches(is_path).len();
    let end = at + after.len() - after.trim_start_matches(is_path).len();
    source.get(start..end).unwrap_or_default().trim_matches('.')
}

/// The first part of a path that a view does not have, and what it has in that place. `None` where
/// the path begins with a name that is not the view's (that of a loop, say), or is all there.
fn missing_in<'a>(view: &Value, path: &'a str) -> Option<(&'a str, Vec<String>)> {
    let mut here = view;
    for (depth, part) in path.split('.').enumerate() {
        let fields = here.as_object()?;
        match fields.get(part) {
            Some(next) => here = next,
            None if depth == 0 => return None,
            None => return Some((part, fields.keys().cloned().collect())),
        }
    }
    None
}

/// That a part of a path is not there, with what it was looked for in.
fn unknown(path: &str, missing: &str) -> String {
    match path.split_once(&format!(".{missing}")) {
        Some((within, _)) => format!("there is no `{missing}` in `{within}`"),
        None => format!("there is no `{missing}` here"),
    }
}

fn help(missing: &str, known: &[&str]) -> String {
    let list = match known {
        [] => "nothing is known there".to_owned(),
        known => format!("known there: {}", known.join(", ")),
    };
    match nearest(missing, known.iter().copied()) {
        Some(near) => format!("did you mean `{near}`? {list}"),
        None => list,
    }
}

/// The engine's words as a sentence of ours: no capital at the start, no full stop.
fn sentence(text: &str) -> String {
    let text = text.trim().trim_end_matches('.');
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => first.to_lowercase().chain(chars).collect(),
        None => "the template cannot be used".to_owned(),
    }
}

fn with_causes(error: &tera::Error) -> String {
    let mut text = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    sentence(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_around_an_offset_is_found() {
        let text = "a {{ page.titel | upper }}";
        for at in [5, 9, 10, 14] {
            assert_eq!(path_at(text, at), "page.titel");
        }
        assert_eq!(path_at(text, 2), "");
        assert_eq!(path_at(text, 999), "");
    }

    #[test]
    fn the_first_missing_part_is_named_with_what_is_there() {
        let view = serde_json::json!({"page": {"title": "x", "root": ""}});
        assert_eq!(
            missing_in(&view, "page.titel.x"),
            Some(("titel", vec!["title".to_owned(), "root".to_owned()]))
        );
        assert_eq!(missing_in(&view, "page.title"), None);
        assert_eq!(missing_in(&view, "row.x"), None);
    }
}
