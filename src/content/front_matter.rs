//! Markdown files with TOML front matter between `+++` lines.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Place};
use crate::toml_table::TomlText;

use super::text::decode;

/// A Markdown file of `content/`, taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarkdownFile {
    /// The file as the user knows it: `content/method.md`.
    pub path: String,
    text: String,
    toml: Option<Range<usize>>,
    body_at: usize,
}

impl MarkdownFile {
    /// Takes a file apart. Front matter is there if the first line is `+++`; it goes to the next
    /// such line.
    ///
    /// # Errors
    /// Bytes that are not UTF-8, front matter that is not closed, front matter in YAML.
    pub fn parse(path: &str, bytes: &[u8]) -> Result<Self, Diagnostic> {
        let text = decode(path, bytes)?;
        let mut toml = None;
        let mut body_at = 0;
        let mut at = 0;
        for (index, line) in text.split_inclusive('\n').enumerate() {
            let next = at + line.len();
            let fence = line.trim_end();
            if index == 0 {
                if fence == "---" {
                    return Err(Diagnostic::new(
                        Code::FrontMatterSyntax,
                        Place::line(path, 1),
                        "front matter between `---` lines is not read",
                    )
                    .help("write it as TOML (`key = \"value\"`) between `+++` lines; a rule across the page can be written `***`"));
                }
                if fence != "+++" {
                    break;
                }
                body_at = next;
            } else if fence == "+++" {
                toml = Some(body_at..at);
                body_at = next;
                break;
            }
            at = next;
        }
        if toml.is_none() && body_at > 0 {
            return Err(Diagnostic::new(
                Code::FrontMatterSyntax,
                Place::line(path, 1),
                "the front matter is not closed",
            )
            .help("end it with a line `+++`"));
        }
        Ok(Self {
            path: path.to_owned(),
            text,
            toml,
            body_at,
        })
    }

    /// The front matter, where there is any.
    pub fn front_matter(&self) -> Option<TomlText<'_>> {
        Some(TomlText {
            path: &self.path,
            file: &self.text,
            range: self.toml.clone()?,
            syntax: Code::FrontMatterSyntax,
        })
    }

    /// The Markdown after the front matter, from the first line that is not blank, without white
    /// space at its end.
    pub fn body(&self) -> &str {
        self.text
            .get(self.body_start()..)
            .unwrap_or_default()
            .trim_end()
    }

    /// The line of the file in which [`Self::body`] begins.
    pub fn body_line(&self) -> usize {
        let before = self.text.get(..self.body_start()).unwrap_or_default();
        before.bytes().filter(|b| *b == b'\n').count() + 1
    }

    fn body_start(&self) -> usize {
        let rest = self.text.get(self.body_at..).unwrap_or_default();
        let blank: usize = rest
            .split_inclusive('\n')
            .take_while(|line| line.trim().is_empty())
            .map(str::len)
            .sum();
        self.body_at + blank
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<MarkdownFile, Diagnostic> {
        MarkdownFile::parse("content/a.md", text.as_bytes())
    }

    #[test]
    fn a_file_has_front_matter_and_a_body() {
        for text in [
            "+++\na = 1\n+++\n\n    code\n\n",
            "\u{feff}+++ \r\na = 1\r\n+++\r\n\r\n    code",
        ] {
            let file = parse(text).unwrap();
            let toml = file.front_matter().unwrap();
            assert_eq!(toml.file.get(toml.range).unwrap(), "a = 1\n");
            assert_eq!((file.body(), file.body_line()), ("    code", 5));
        }
    }

    #[test]
    fn front_matter_and_body_may_be_missing() {
        let file = parse("# A\n+++\n").unwrap();
        assert!(file.front_matter().is_none());
        assert_eq!((file.body(), file.body_line()), ("# A\n+++", 1));
        let file = parse("+++\n+++").unwrap();
        assert!(file.front_matter().unwrap().range.is_empty());
        assert_eq!(file.body(), "");
        assert_eq!(parse("").unwrap().body(), "");
    }

    #[test]
    fn what_is_no_front_matter_is_an_error() {
        for (text, said) in [
            ("+++\na = 1\n", "the front matter is not closed"),
            ("+++", "the front matter is not closed"),
            (
                "---\ntitle: x\n---\n",
                "front matter between `---` lines is not read",
            ),
        ] {
            let problem = parse(text).unwrap_err();
            assert_eq!(
                (problem.message.as_str(), problem.place.line),
                (said, Some(1))
            );
        }
        let problem = MarkdownFile::parse("a.md", b"a\n\xff").unwrap_err();
        assert_eq!(problem.place, Place::line("a.md", 2));
    }
}
