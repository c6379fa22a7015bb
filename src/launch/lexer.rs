//! The words, operators, comments and here-documents of a shell text, with their places.
//!
//! Knows quoting and nothing of programs or flags. Linear in the length of the text; no recursion,
//! so that nesting cannot exhaust the stack.

mod quotes;

use std::ops::Range;

use quotes::Builder;

/// How a part of a word is quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quote {
    /// Not at all.
    None,
    /// `'…'`
    Single,
    /// `"…"`
    Double,
    /// `$'…'`
    Ansi,
}

/// What a part of a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Text that stands for itself, byte for byte.
    Literal,
    /// Text that stands for something else: an escape, or a continuation, which stands for nothing.
    Escape,
    /// `$NAME`, `${…}`, `$(…)`, `` `…` ``, `<(…)`: its value is its own text.
    Expansion,
    /// `<redacted>`, `<host>`: something hidden or to be filled in, never a redirection.
    Placeholder,
}

/// A part of a word with one way of quoting.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub kind: PartKind,
    /// How it is quoted.
    pub quote: Quote,
    /// Its place in the text, without the quotes.
    pub raw: Range<usize>,
    /// Its place in the word's value.
    pub value: Range<usize>,
    /// The place in the text of the whole quoted stretch, with its quotes; for unquoted parts the
    /// part itself.
    pub group: Range<usize>,
}

impl Part {
    /// Whether it is a backslash at the end of a line, which stands for nothing.
    pub fn is_continuation(&self) -> bool {
        self.kind == PartKind::Escape && self.value.is_empty()
    }
}

/// One word of a command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Its place in the text.
    pub span: Range<usize>,
    /// As it was written.
    pub raw: String,
    /// What the shell makes of it, with expansions and placeholders left as they are written.
    pub value: String,
    /// Its parts in order.
    pub parts: Vec<Part>,
}

/// A piece of a shell text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    /// A word.
    Word(Word),
    /// `;`, `&`, `&&`, `||`, `|`, `|&`, `(`, `)`, `;;`
    Operator(&'static str),
    /// `2>`, `>>`, `<<<`, with any number in front; the next word is its target.
    Redirect(String),
    /// `<<` or `<<-`; its body.
    HereDocument(HereDocument),
    /// From `#` to the end of the line.
    Comment(Range<usize>),
    /// The end of a line.
    Newline,
}

/// A here-document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HereDocument {
    /// `<<` or `<<-`, with any number in front.
    pub operator: String,
    /// The word that ends it.
    pub delimiter: Word,
    /// The place of its lines, without the line of the delimiter.
    pub body: Range<usize>,
}

/// What a text was cut into.
#[derive(Clone, Debug, Default)]
pub struct Lexed {
    /// The pieces in order.
    pub tokens: Vec<Token>,
    /// Whether a quote or an expansion is not closed, or a here-document has no delimiter.
    pub broken: bool,
}

/// Longest name in a placeholder.
const PLACEHOLDER_LIMIT: usize = 40;

/// Cuts a text into its pieces.
pub fn lex(text: &str) -> Lexed {
    let mut lexer = Lexer {
        text,
        bytes: text.as_bytes(),
        at: 0,
        out: Lexed::default(),
        waiting: Vec::new(),
    };
    lexer.run();
    lexer.out
}

/// Length in bytes of the placeholder that starts at `at`, if one does.
pub fn placeholder(bytes: &[u8], at: usize) -> Option<usize> {
    if bytes.get(at) != Some(&b'<') || !bytes.get(at + 1)?.is_ascii_alphabetic() {
        return None;
    }
    let rest = bytes.get(at + 1..)?;
    let length = rest
        .iter()
        .take(PLACEHOLDER_LIMIT + 1)
        .position(|b| !(b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')))?;
    (rest.get(length) == Some(&b'>')).then_some(length + 2)
}

struct Lexer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    out: Lexed,
    /// Indices of here-documents whose bodies start on the next line.
    waiting: Vec<usize>,
}

impl Lexer<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn slice(&self, range: Range<usize>) -> &str {
        self.text.get(range).unwrap_or_default()
    }

    /// Bytes of a blank at the place: blanks, tabs, no-break and thin spaces, carriage returns,
    /// continuations.
    fn blank(&self) -> Option<usize> {
        match (self.peek(0)?, self.peek(1), self.peek(2)) {
            (b' ' | b'\t', ..) => Some(1),
            (b'\r', next, _) if next != Some(b'\n') => Some(1),
            (b'\\', Some(b'\n'), _) => Some(2),
            (b'\\', Some(b'\r'), Some(b'\n')) => Some(3),
            (0xc2, Some(0xa0), _) => Some(2),
            // U+2007, U+2009, U+202F.
            (0xe2, Some(0x80), Some(0x87 | 0x89 | 0xaf)) => Some(3),
            _ => None,
        }
    }

    fn newline(&self) -> Option<usize> {
        match (self.peek(0)?, self.peek(1)) {
            (b'\n', _) => Some(1),
            (b'\r', Some(b'\n')) => Some(2),
            _ => None,
        }
    }

    fn run(&mut self) {
        let mut fresh = true;
        while let Some(byte) = self.peek(0) {
            if let Some(length) = self.newline() {
                self.at += length;
                self.out.tokens.push(Token::Newline);
                self.bodies();
                fresh = true;
            } else if let Some(length) = self.blank() {
                self.at += length;
                fresh = true;
            } else if byte == b'#' && fresh {
                let start = self.at;
                while self.peek(0).is_some() && self.newline().is_none() {
                    self.at += 1;
                }
                self.out.tokens.push(Token::Comment(start..self.at));
            } else if self.redirect() {
                fresh = true;
            } else if let Some(operator) = self.operator() {
                self.at += operator.len();
                self.out.tokens.push(Token::Operator(operator));
                fresh = true;
            } else {
                let word = self.word();
                self.out.tokens.push(Token::Word(word));
                fresh = false;
            }
        }
        self.bodies();
    }

    fn operator(&self) -> Option<&'static str> {
        const ALL: [&str; 9] = ["&&", "||", "|&", ";;", ";", "&", "|", "(", ")"];
        let rest = self.bytes.get(self.at..)?;
        ALL.into_iter().find(|o| rest.starts_with(o.as_bytes()))
    }

    /// Takes a redirection, with its here-document's delimiter where it has one.
    fn redirect(&mut self) -> bool {
        const ALL: [&str; 12] = [
            "&>>", "&>", "<<<", "<<-", "<<", "<&", "<>", "<", ">>", ">&", ">|", ">",
        ];
        let digits = (0..).take_while(|n| self.peek(*n).is_some_and(|b| b.is_ascii_digit()));
        let digits = digits.count();
        let operator_at = self.at + digits;
        if digits == 0 && placeholder(self.bytes, operator_at).is_some() {
            return false;
        }
        let Some(rest) = self.bytes.get(operator_at..) else {
            return false;
        };
        let Some(operator) = ALL.into_iter().find(|o| rest.starts_with(o.as_bytes())) else {
            return false;
        };
        if digits > 0
            && (operator.starts_with('&') || placeholder(self.bytes, operator_at).is_some())
        {
            return false;
        }
        // `<(…)` and `>(…)` are words.
        if digits == 0 && matches!(operator, "<" | ">") && rest.get(1) == Some(&b'(') {
            return false;
        }
        let written = self.slice(self.at..operator_at + operator.len()).to_owned();
        self.at = operator_at + operator.len();
        if !matches!(operator, "<<" | "<<-") {
            self.out.tokens.push(Token::Redirect(written));
            return true;
        }
        while let Some(length) = self.blank() {
            self.at += length;
        }
        let ends = self.peek(0).is_none() || self.newline().is_some() || self.operator().is_some();
        if ends || matches!(self.peek(0), Some(b'<' | b'>')) {
            self.out.broken = true;
            self.out.tokens.push(Token::Redirect(written));
            return true;
        }
        let delimiter = self.word();
        self.waiting.push(self.out.tokens.len());
        self.out.tokens.push(Token::HereDocument(HereDocument {
            operator: written,
            delimiter,
            body: self.at..self.at,
        }));
        true
    }

    /// Reads the bodies of the here-documents that begin on this line.
    fn bodies(&mut self) {
        for index in std::mem::take(&mut self.waiting) {
            let Some(Token::HereDocument(document)) = self.out.tokens.get(index) else {
                continue;
            };
            let delimiter = document.delimiter.value.clone();
            let tabs = document.operator.ends_with('-');
            let start = self.at;
            let mut end = self.bytes.len();
            let mut found = false;
            while let Some(rest) = self.text.get(self.at..).filter(|rest| !rest.is_empty()) {
                let line = rest.split('\n').next().unwrap_or_default();
                let line_at = self.at;
                self.at = (self.at + line.len() + 1).min(self.bytes.len());
                let bare = line.trim_end_matches('\r');
                let bare = if tabs {
                    bare.trim_start_matches('\t')
                } else {
                    bare
                };
                if bare == delimiter {
                    end = line_at;
                    found = true;
                    break;
                }
            }
            self.out.broken |= !found;
            if let Some(Token::HereDocument(document)) = self.out.tokens.get_mut(index) {
                document.body = start..end.max(start);
            }
        }
    }

    /// Takes a word; the place is at its first byte.
    fn word(&mut self) -> Word {
        let start = self.at;
        let mut word = Builder::default();
        while let Some(byte) = self.peek(0) {
            if self.newline().is_some() {
                break;
            }
            let here = self.at;
            match byte {
                b'\\' => match (self.peek(1), self.peek(2)) {
                    (Some(b'\n'), _) => {
                        word.escape("", here..here + 2, Quote::None, here..here + 2);
                        self.at += 2;
                    }
                    (Some(b'\r'), Some(b'\n')) => {
                        word.escape("", here..here + 3, Quote::None, here..here + 3);
                        self.at += 3;
                    }
                    (None, _) => {
                        self.out.broken = true;
                        word.literal(self.text, here..here + 1, Quote::None, None);
                        self.at += 1;
                    }
                    _ => {
                        let end = self.char_end(here + 1);
                        let value = self.slice(here + 1..end).to_owned();
                        word.escape(&value, here..end, Quote::None, here..end);
                        self.at = end;
                    }
                },
                _ if self.blank().is_some() => break,
                b'\'' => self.single(&mut word),
                b'"' => self.double(&mut word, here),
                b'$' if self.peek(1) == Some(b'\'') => self.ansi(&mut word),
                b'$' if self.peek(1) == Some(b'"') => {
                    self.at += 1;
                    self.double(&mut word, here);
                }
                b'$' | b'`' => self.expansion(&mut word, Quote::None, None),
                b'<' | b'>' if self.peek(1) == Some(b'(') => {
                    self.expansion(&mut word, Quote::None, None);
                }
                b'<' => match placeholder(self.bytes, here) {
                    Some(length) => {
                        let range = here..here + length;
                        word.push(PartKind::Placeholder, self.text, range, Quote::None, None);
                        self.at += length;
                    }
                    None => {
                        self.out.broken |= word.parts.last().is_some_and(Part::is_continuation);
                        break;
                    }
                },
                // `2\` and `>` on the next line are one redirection of 2.
                b'>' => {
                    self.out.broken |= word.parts.last().is_some_and(Part::is_continuation);
                    break;
                }
                b'|' | b'&' | b';' | b'(' | b')' => break,
                _ => {
                    self.at = self.char_end(here);
                    word.literal(self.text, here..self.at, Quote::None, None);
                }
            }
        }
        if self.at == start {
            // Nothing above took the byte: it is taken as it is, so that the loop goes on.
            self.at = self.char_end(start);
            word.literal(self.text, start..self.at, Quote::None, None);
        }
        word.finish(start..self.at, self.slice(start..self.at))
    }

    /// The end of the character that starts at `at`.
    fn char_end(&self, at: usize) -> usize {
        let length = self
            .text
            .get(at..)
            .and_then(|rest| rest.chars().next())
            .map_or(1, char::len_utf8);
        (at + length).min(self.bytes.len())
    }
}
