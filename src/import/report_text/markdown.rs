//! Cells and values of our own Markdown pages as plain text.

/// A cell of our own Markdown as plain text: tags, links, code spans, escapes and entities undone.
pub(super) fn plain(text: &str) -> String {
    // Marks are looked for ahead, which must not cost much in a hostile text.
    if text.len() > 20_000 {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let tail = rest.get(c.len_utf8()..).unwrap_or_default();
        let (keep, after) = match c {
            '\\' => match tail.chars().next() {
                Some(next) if next.is_ascii_punctuation() => {
                    (next.to_string(), tail.get(1..).unwrap_or_default())
                }
                _ => ("\\".to_owned(), tail),
            },
            '<' => match tail.split_once('>') {
                Some((tag, after)) if tag.len() < 200 && is_tag(tag) => {
                    let line_break = tag.starts_with("br");
                    (if line_break { "·" } else { "" }.to_owned(), after)
                }
                _ => ("<".to_owned(), tail),
            },
            '&' => entity(tail).map_or_else(
                || ("&".to_owned(), tail),
                |(c, after)| (c.to_string(), after),
            ),
            '`' => code_span(rest).unwrap_or_else(|| ("`".to_owned(), tail)),
            '[' => match link(tail) {
                Some((words, after)) => (words.to_owned(), after),
                None => ("[".to_owned(), tail),
            },
            c => (c.to_string(), tail),
        };
        out.push_str(&keep);
        rest = after;
    }
    out.trim().to_owned()
}

fn is_tag(inner: &str) -> bool {
    inner.starts_with(|c: char| c.is_ascii_alphabetic() || c == '/') && !inner.contains("://")
}

/// `[words](address)`: the words, and what follows.
fn link(tail: &str) -> Option<(&str, &str)> {
    let near: &str = tail.get(..tail.len().min(4000)).unwrap_or(tail);
    let close = near.find("](")?;
    let words = tail.get(..close)?;
    if words.contains('[') {
        return None;
    }
    let (_, after) = tail.get(close + 2..)?.split_once(')')?;
    Some((words, after))
}

fn code_span(text: &str) -> Option<(String, &str)> {
    let ticks = text.bytes().take_while(|b| *b == b'`').count();
    if ticks > 8 {
        return None;
    }
    let (fence, rest) = text.split_at_checked(ticks)?;
    let near = rest.get(..rest.len().min(4000)).unwrap_or(rest);
    let at = near.find(fence)?;
    let code = rest.get(..at)?;
    let code = match code.strip_prefix(' ').and_then(|c| c.strip_suffix(' ')) {
        Some(inner) if !inner.trim().is_empty() => inner,
        _ => code,
    };
    // A pipe is escaped also within a code span of a table.
    Some((code.replace("\\|", "|"), rest.get(at + ticks..)?))
}

fn entity(tail: &str) -> Option<(char, &str)> {
    const ENTITIES: &[(&str, char)] = &[
        ("amp;", '&'),
        ("lt;", '<'),
        ("gt;", '>'),
        ("quot;", '"'),
        ("#39;", '\''),
        ("#124;", '|'),
        ("nbsp;", ' '),
    ];
    ENTITIES
        .iter()
        .find_map(|(name, c)| Some((*c, tail.strip_prefix(name)?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markdown_is_undone() {
        assert_eq!(
            plain("a\\|b `x\\|y` [w](u) 82.9<br>5 &lt;z> <a id=\"q\"></a>\\_\\*"),
            "a|b x|y w 82.9·5 <z> _*"
        );
    }
}
