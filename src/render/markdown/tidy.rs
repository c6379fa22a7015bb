//! The white space of a finished Markdown page.

/// At most one blank line in a row outside of fences, no blanks at line ends, one final newline.
pub fn tidy(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut fence: Option<&str> = None;
    let mut blank = true;
    for line in text.lines() {
        let ticks = line.len() - line.trim_start_matches('`').len();
        match fence {
            None if ticks >= 3 => fence = line.get(..ticks),
            Some(open) if line == open => fence = None,
            _ => {}
        }
        let line = if fence.is_some() {
            line
        } else {
            line.trim_end()
        };
        if line.is_empty() && blank && fence.is_none() {
            continue;
        }
        blank = line.is_empty();
        out.push_str(line);
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blank_lines_fold_outside_of_fences() {
        assert_eq!(
            tidy("\n\na  \n\n\n\nb\n```\nx  \n\n\ny\n```\n\n\n"),
            "a\n\nb\n```\nx  \n\n\ny\n```\n"
        );
    }
}
