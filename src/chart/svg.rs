//! Writing of SVG that stands in a page. All texts and values are escaped here; names of elements
//! and attributes come from the code, never from content.

use crate::render::xml::escape;

/// An SVG picture while it grows.
#[derive(Clone, Debug, Default)]
pub struct Svg {
    text: String,
    open: Vec<&'static str>,
}

/// Names and values of an element's attributes.
pub type Attributes<'a> = &'a [(&'static str, &'a str)];

impl Svg {
    /// A picture of this size in units, with its title and description. `id` must be once on the
    /// page; the ids of title and description are made from it.
    pub fn new(id: &str, size: (f64, f64), title: &str, description: &str) -> Self {
        let mut svg = Self::default();
        let (title_id, desc_id) = (format!("{id}-title"), format!("{id}-desc"));
        svg.begin(
            "svg",
            &[
                ("class", "plot"),
                ("viewBox", &format!("0 0 {} {}", unit(size.0), unit(size.1))),
                ("role", "img"),
                ("aria-labelledby", &format!("{title_id} {desc_id}")),
            ],
        );
        svg.leaf("title", &[("id", &title_id)], title);
        svg.leaf("desc", &[("id", &desc_id)], description);
        svg
    }

    /// Begins an element that holds others.
    pub fn begin(&mut self, name: &'static str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push('>');
        self.open.push(name);
    }

    /// Ends the element that was begun last.
    pub fn end(&mut self) {
        if let Some(name) = self.open.pop() {
            self.text.push_str("</");
            self.text.push_str(name);
            self.text.push_str(">\n");
        }
    }

    /// An element that holds a text.
    pub fn leaf(&mut self, name: &'static str, attributes: Attributes, text: &str) {
        self.tag(name, attributes);
        self.text.push('>');
        escape(text, &mut self.text);
        self.text.push_str("</");
        self.text.push_str(name);
        self.text.push_str(">\n");
    }

    /// An element that holds a `title`, which browsers show where the pointer is; none where it is
    /// empty.
    pub fn titled(&mut self, name: &'static str, attributes: Attributes, title: &str) {
        if title.is_empty() {
            self.empty(name, attributes);
        } else {
            self.tag(name, attributes);
            self.text.push_str("><title>");
            escape(title, &mut self.text);
            self.text.push_str("</title></");
            self.text.push_str(name);
            self.text.push_str(">\n");
        }
    }

    /// An element that holds nothing.
    pub fn empty(&mut self, name: &'static str, attributes: Attributes) {
        self.tag(name, attributes);
        self.text.push_str("/>\n");
    }

    /// A text at this place.
    pub fn words(&mut self, class: &str, (x, y): (f64, f64), text: &str) {
        let place = (unit(x), unit(y));
        self.leaf(
            "text",
            &[("class", class), ("x", &place.0), ("y", &place.1)],
            text,
        );
    }

    /// The whole picture; what is open is ended.
    pub fn finish(mut self) -> String {
        while !self.open.is_empty() {
            self.end();
        }
        self.text.truncate(self.text.trim_end().len());
        self.text
    }

    fn tag(&mut self, name: &'static str, attributes: Attributes) {
        self.text.push('<');
        self.text.push_str(name);
        for (name, value) in attributes.iter().filter(|(_, value)| !value.is_empty()) {
            self.text.push(' ');
            self.text.push_str(name);
            self.text.push_str("=\"");
            escape(value, &mut self.text);
            self.text.push('"');
        }
    }
}

/// A place or length with one decimal at most: "12.5", "12"; 0 for what is no number.
pub fn unit(value: f64) -> String {
    if !value.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{value:.1}");
    let text = text.strip_suffix(".0").unwrap_or(&text);
    if text == "-0" { "0" } else { text }.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_have_one_decimal() {
        let all = [12.0, 12.34, -0.01, 0.05, 1e6, f64::NAN, -3.26].map(unit);
        assert_eq!(all, ["12", "12.3", "0", "0.1", "1000000", "0", "-3.3"]);
    }

    proptest::proptest! {
        #[test]
        fn a_parser_reads_what_was_written(text in "(?s).{0,40}") {
            let mut svg = Svg::new("a", (10.0, 10.0), &text, &text);
            svg.begin("g", &[("data-context", &text)]);
            svg.titled("circle", &[("data-cell", &text)], &text);
            svg.words("x", (1.0, 2.0), &text);
            let written = svg.finish();
            let document = roxmltree::Document::parse(&written).unwrap();
            let seen = crate::render::xml::allowed(&text);
            let mut texts = 0;
            for node in document.descendants() {
                if node.is_text() && node.parent().is_some_and(|p| !matches!(p.tag_name().name(), "svg" | "g")) {
                    proptest::prop_assert_eq!(node.text(), Some(seen.as_str()));
                    texts += 1;
                }
            }
            if !seen.is_empty() {
                proptest::prop_assert_eq!(texts, 4);
                let group = document.descendants().find(|n| n.has_tag_name("g")).unwrap();
                proptest::prop_assert_eq!(group.attribute("data-context"), Some(seen.as_str()));
            }
        }
    }
}
