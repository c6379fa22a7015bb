//! Anchors of headings as GitHub makes them, so that a link works on the page and on a code host.

use std::collections::BTreeMap;

/// The anchors of one text so far.
#[derive(Clone, Debug, Default)]
pub struct Slugs {
    taken: BTreeMap<String, usize>,
}

impl Slugs {
    /// None is taken but these.
    pub fn without(reserved: &[&str]) -> Self {
        Self {
            taken: reserved.iter().map(|id| ((*id).to_owned(), 0)).collect(),
        }
    }

    /// The anchor of the next heading with this text: lower case, letters, digits, `-` and `_`,
    /// dashes for blanks; a number behind it where it is taken.
    pub fn next(&mut self, text: &str) -> String {
        let mut slug = String::with_capacity(text.len());
        for c in text.trim().chars() {
            match c {
                ' ' => slug.push('-'),
                '-' | '_' => slug.push(c),
                c if c.is_alphanumeric() || is_mark(c) => slug.extend(c.to_lowercase()),
                _ => {}
            }
        }
        if slug.is_empty() {
            "section".clone_into(&mut slug);
        }
        self.unique(slug)
    }

    /// The anchor itself, or with the next free number behind it.
    pub fn unique(&mut self, slug: String) -> String {
        let mut unique = slug.clone();
        while self.taken.contains_key(&unique) {
            let count = self.taken.entry(slug.clone()).or_insert(0);
            *count += 1;
            unique = format!("{slug}-{count}");
        }
        self.taken.insert(unique.clone(), 0);
        unique
    }
}

/// Marks that belong to the letter before them.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{900}'..='\u{903}' | '\u{93a}'..='\u{94f}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_github() {
        let mut slugs = Slugs::default();
        for (text, slug) in [
            ("How to read it", "how-to-read-it"),
            ("How to read it", "how-to-read-it-1"),
            ("How to read it 1", "how-to-read-it-1-1"),
            ("TTFT & ITL: what's `p90`?", "ttft--itl-whats-p90"),
            ("Größe_x-y", "größe_x-y"),
            ("🚀", "section"),
            ("!", "section-1"),
        ] {
            assert_eq!(slugs.next(text), slug);
        }
        assert_eq!(Slugs::without(&["main"]).next("Main"), "main-1");
    }
}
