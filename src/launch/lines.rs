//! A launch command for display: one flag a line.

use super::copy::written;
use super::flags::{Role, roles};
use super::{LaunchCommand, Redirection, Simple};

/// The lines of a command; a text that was not understood keeps its own.
pub(super) fn lines(command: &LaunchCommand) -> Vec<String> {
    if !command.is_understood() {
        let text = command.text().trim_end();
        return text
            .lines()
            .map(|line| line.trim_end().to_owned())
            .collect();
    }
    let mut out = Vec::new();
    for simple in command.commands() {
        out.extend(simple.comments.iter().cloned());
        push(&mut out, simple);
    }
    out.extend(command.trailing.iter().cloned());
    out
}

/// Adds the lines of one command.
fn push(out: &mut Vec<String>, simple: &Simple) {
    // Each entry is one display line without the continuation at its end.
    let mut rows: Vec<String> = simple.assignments.iter().map(written).collect();
    let roles = roles(simple);
    let mut program = String::new();
    let mut started = false;
    for (word, role) in simple.words.iter().zip(roles) {
        let text = written(word);
        match role {
            Role::Flag | Role::Start if started => {
                if !program.is_empty() {
                    rows.push(std::mem::take(&mut program));
                }
                program = format!("  {text}");
            }
            _ => {
                if started {
                    program.push(' ');
                }
                program.push_str(&text);
            }
        }
        started = true;
    }
    if started {
        rows.push(program);
    }
    let mut bodies = Vec::new();
    let mut tail = String::new();
    redirections(&mut tail, &mut bodies, &simple.redirections);
    tail.push_str(&")".repeat(simple.closes));
    redirections(&mut tail, &mut bodies, &simple.outer);
    if !matches!(simple.joint, "" | ";") {
        tail.push(' ');
        tail.push_str(simple.joint);
    }
    match rows.last_mut() {
        Some(last) => last.push_str(&tail),
        None => rows.push(tail.trim_start().to_owned()),
    }
    if let Some(first) = rows.first_mut() {
        first.insert_str(0, &"( ".repeat(simple.opens));
    }
    let last = rows.len().saturating_sub(1);
    for (index, row) in rows.into_iter().enumerate() {
        let end = if index < last { " \\" } else { "" };
        let row = format!("{row}{end}");
        out.extend(row.split('\n').map(str::to_owned));
    }
    out.append(&mut bodies);
}

/// Appends redirections to a line, and the lines of here-documents to what follows it.
fn redirections(tail: &mut String, bodies: &mut Vec<String>, all: &[Redirection]) {
    for redirection in all {
        match redirection {
            Redirection::File { operator, target } => {
                let gap = if operator.ends_with('&') { "" } else { " " };
                tail.push_str(&format!(" {operator}{gap}{}", written(target)));
            }
            Redirection::Document { document, body } => {
                tail.push_str(&format!(
                    " {}{}",
                    document.operator,
                    written(&document.delimiter)
                ));
                bodies.extend(body.lines().map(str::to_owned));
                bodies.push(document.delimiter.value.clone());
            }
        }
    }
}
