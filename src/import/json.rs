//! JSON with places: every value knows where it stands in its file, so that messages can name the
//! line. Values are read lazily; what is not asked for is only skipped over.

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::diagnostic::{Code, Diagnostic, Place};

/// What to do about a value of another type or range than the tool writes.
pub const SHAPE_HELP: &str = "correct the value, or leave the file out with `ignore` in site.toml";

/// A value of a JSON text, and where it stands.
#[derive(Clone, Copy, Debug)]
pub struct JsonNode<'a> {
    /// The value's own text.
    raw: &'a str,
    /// Where that text begins in the document.
    offset: usize,
}

impl<'a> JsonNode<'a> {
    /// The root of a document.
    ///
    /// # Errors
    /// Text that is not well-formed JSON, with the line and column.
    pub fn parse(path: &str, text: &'a str) -> Result<Self, Diagnostic> {
        let raw: &'a RawValue = serde_json::from_str(text).map_err(|error| {
            let help = if error.is_eof() {
                "the file breaks off; copy it again"
            } else if text.contains("NaN") || text.contains("Infinity") {
                "JSON has no NaN and no Infinity; write null"
            } else {
                "mend the JSON, or leave the file out with `ignore` in site.toml"
            };
            // serde_json appends the place, which is named apart.
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or_default();
            let place = Place::column(path, error.line().max(1), error.column().max(1));
            Diagnostic::new(Code::JsonSyntax, place, format!("is not JSON: {message}")).help(help)
        })?;
        Ok(Self::within(text, raw.get()))
    }

    /// `part` must be a slice of `text`; its offset is the distance of their addresses.
    fn within(text: &str, part: &'a str) -> Self {
        let offset = (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize);
        Self { raw: part, offset }
    }

    fn child(&self, part: &'a RawValue) -> Self {
        let inner = Self::within(self.raw, part.get());
        Self {
            offset: self.offset + inner.offset,
            ..inner
        }
    }

    /// Where it stands in the document, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The entries of an object, in the order of the file, repeated keys included; `None` where
    /// the value is no object.
    pub fn object(&self) -> Option<Vec<(String, JsonNode<'a>)>> {
        let entries: RawEntries<'a> = serde_json::from_str(self.raw).ok()?;
        Some(
            entries
                .0
                .into_iter()
                .map(|(key, raw)| (key, self.child(raw)))
                .collect(),
        )
    }

    /// The value of a key of an object; the last one where it is repeated.
    pub fn get(&self, key: &str) -> Option<JsonNode<'a>> {
        self.object()?
            .into_iter()
            .rev()
            .find(|(k, _)| k == key)
            .map(|(_, node)| node)
    }

    /// The items of an array; `None` where the value is none.
    pub fn array(&self) -> Option<Vec<JsonNode<'a>>> {
        let items: Vec<&'a RawValue> = serde_json::from_str(self.raw).ok()?;
        Some(items.into_iter().map(|raw| self.child(raw)).collect())
    }

    /// The text of a string.
    pub fn text(&self) -> Option<String> {
        serde_json::from_str(self.raw).ok()
    }

    /// A finite number.
    pub fn number(&self) -> Option<f64> {
        serde_json::from_str(self.raw)
            .ok()
            .filter(|x: &f64| x.is_finite())
    }

    /// A whole number from 0, also where it is written with a zero fraction (`8.0`).
    pub fn count(&self) -> Option<u64> {
        serde_json::from_str::<u64>(self.raw).ok().or_else(|| {
            // Below 2^53 every whole double is exact.
            let number = self.number()?;
            (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number))
                .then_some(number as u64)
        })
    }

    /// `true` or `false`.
    pub fn boolean(&self) -> Option<bool> {
        serde_json::from_str(self.raw).ok()
    }

    /// Whether the value is `null`.
    pub fn is_null(&self) -> bool {
        self.raw == "null"
    }

    /// The value without its places.
    pub fn value(&self) -> serde_json::Value {
        serde_json::from_str(self.raw).unwrap_or(serde_json::Value::Null)
    }

    /// "an object", "a text": what stands there, for messages.
    pub fn kind(&self) -> &'static str {
        match self.raw.as_bytes().first() {
            Some(b'{') => "an object",
            Some(b'[') => "a list",
            Some(b'"') => "a text",
            Some(b't' | b'f') => "true or false",
            Some(b'n') => "null",
            _ => "a number",
        }
    }
}

/// The entries of an object, in order and with repeated keys, the values unread.
struct RawEntries<'a>(Vec<(String, &'a RawValue)>);

impl<'de> Deserialize<'de> for RawEntries<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries;
        impl<'de> Visitor<'de> for Entries {
            type Value = RawEntries<'de>;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("an object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(RawEntries(entries))
            }
        }
        deserializer.deserialize_map(Entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_know_where_they_stand() {
        let text = " {\"a\": [1, {\"b\": \"ü\"}],\n \"a\": 8.0}";
        let root = JsonNode::parse("x.json", text).unwrap();
        let entries = root.object().unwrap();
        assert_eq!(entries.len(), 2, "repeated keys are seen");
        let b = entries[0].1.array().unwrap()[1].get("b").unwrap();
        assert_eq!(b.text().as_deref(), Some("ü"));
        assert_eq!(&text[b.offset()..b.offset() + 4], "\"ü\"");
        assert_eq!(root.get("a").unwrap().count(), Some(8));
    }

    #[test]
    fn a_syntax_error_names_line_and_column() {
        let error = JsonNode::parse("x.json", "{\n \"a\": NaN}").unwrap_err();
        assert_eq!((error.place.line, error.code), (Some(2), Code::JsonSyntax));
        assert!(error.help.contains("NaN"), "{error}");
    }
}
