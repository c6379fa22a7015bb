//! Writing of XML: elements that nest and close as they must, and texts of any content in them.
//!
//! A writer of its own, since what matters is the one thing that XML writers leave to their users:
//! which characters may stand in a document at all. Names come from the code, never from content.

/// An XML 1.0 document while it grows, an element a line.
#[derive(Clone, Debug)]
pub struct Xml {
    text: String,
    open: Vec<&'static str>,
}

/// Names and values of an element's attributes.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Xml {
    /// A document with this outermost element.
    pub fn new(root: &'static str, attributes: Attributes) -> Self {
        let mut xml = Self {
            text: "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n".to_owned(),
            open: Vec::new(),
        };
        xml.begin(root, attributes);
        xml
    }

    /// Begins an element that holds others.
    pub fn begin(&mut self, name: &'static str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push_str(">\n");
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            self.indent();
            self.text.push_str(&format!("</{name}>\n"));
        }
    }

    /// An element that holds a text.
    pub fn leaf(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.tag(name, attributes);
        self.text.push('>');
        escape(text, &mut self.text);
        self.text.push_str(&format!("</{name}>\n"));
    }

    /// An element that holds nothing.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push_str("/>\n");
    }

    /// The whole document; what is open is ended.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text
    }

    fn tag(&mut self, name: &'static str, attributes: Attributes) {
        self.indent();
        self.text.push_str(&format!("<{name}"));
        for (name, value) in attributes {
            self.text.push_str(&format!(" {name}=\""));
            escape(value, &mut self.text);
            self.text.push('"');
        }
    }

    fn indent(&mut self) {
        self.text.push_str(&"  ".repeat(self.open.len()));
    }
}

/// The text without what XML 1.0 forbids (2.2, Char) and without the other control characters,
/// which a terminal would obey.
pub fn allowed(text: &str) -> String {
    text.chars().filter(|c| is_allowed(*c)).collect()
}

/// [`allowed`] as one line, without white space at its ends.
pub fn one_line(text: &str) -> String {
    let text = allowed(text);
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn is_allowed(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' => true,
        '\u{FFFE}' | '\u{FFFF}' => false,
        c => !c.is_control(),
    }
}

/// Escapes for content and for values in double quotes alike. White space that a parser would turn
/// into something else is written by its number.
pub(crate) fn escape(text: &str, out: &mut String) {
    for c in text.chars().filter(|c| is_allowed(*c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            c => out.push(c),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn a_parser_reads_what_was_written(text in "(?s).{0,60}") {
            let mut xml = Xml::new("a", &[("b", &text)]);
            xml.begin("c", &[]);
            xml.leaf("d", &[("e", &text)], &text);
            xml.empty("f", &[]);
            let written = xml.finish();
            let document = roxmltree::Document::parse(&written).unwrap();
            let seen = allowed(&text);
            let root = document.root_element();
            proptest::prop_assert_eq!(root.attribute("b"), Some(seen.as_str()));
            let leaf = document.descendants().find(|n| n.has_tag_name("d")).unwrap();
            proptest::prop_assert_eq!(leaf.text().unwrap_or_default(), seen.as_str());
            proptest::prop_assert_eq!(leaf.attribute("e"), Some(seen.as_str()));
        }
    }

    #[test]
    fn forbidden_and_control_characters_are_dropped() {
        let all: String = ('\0'..='\u{A0}')
            .chain(['\u{FFFD}', '\u{FFFE}', '\u{FFFF}', '\u{1F600}'])
            .collect();
        let kept = allowed(&all);
        assert!(kept.starts_with("\t\n\r !\""), "{kept:?}");
        assert!(kept.ends_with("}~\u{A0}\u{FFFD}\u{1F600}"), "{kept:?}");
    }

    #[test]
    fn an_element_stands_on_a_line() {
        let mut xml = Xml::new("a", &[("xmlns", "urn:x")]);
        xml.begin("b", &[]);
        xml.leaf("c", &[], "1 < 2 & \"3\"");
        xml.end();
        xml.empty("d", &[("e", "\n")]);
        assert_eq!(
            xml.finish(),
            "<?xml version=\"1.0\" encoding=\"utf-8\"?>\n<a xmlns=\"urn:x\">\n  <b>\n    <c>1 &lt; 2 &amp; &quot;3&quot;</c>\n  </b>\n  <d e=\"&#10;\"/>\n</a>\n"
        );
    }
}
