//! Quotes and expansions inside of words.

use std::ops::Range;

use super::{Lexer, Part, PartKind, Quote, Word};

impl Lexer<'_> {
    pub(super) fn single(&mut self, word: &mut Builder) {
        let open = self.at;
        let inside = open + 1;
        let length = self
            .bytes
            .get(inside..)
            .and_then(|rest| rest.iter().position(|b| *b == b'\''));
        let close = length.map_or(self.bytes.len(), |n| inside + n);
        self.out.broken |= length.is_none();
        self.at = (close + 1).min(self.bytes.len());
        word.literal(self.text, inside..close, Quote::Single, Some(open..self.at));
    }

    pub(super) fn double(&mut self, word: &mut Builder, open: usize) {
        self.at += 1;
        let first = word.parts.len();
        let mut closed = false;
        let quoted = Some(open..open);
        while let Some(byte) = self.peek(0) {
            let here = self.at;
            match (byte, self.peek(1)) {
                (b'"', _) => {
                    self.at += 1;
                    closed = true;
                    break;
                }
                (b'\\', Some(b'\n')) => {
                    word.escape("", here..here + 2, Quote::Double, open..open);
                    self.at += 2;
                }
                (b'\\', Some(b'\r')) if self.peek(2) == Some(b'\n') => {
                    word.escape("", here..here + 3, Quote::Double, open..open);
                    self.at += 3;
                }
                (b'\\', Some(b'$' | b'`' | b'"' | b'\\')) => {
                    let value = self.slice(here + 1..here + 2).to_owned();
                    word.escape(&value, here..here + 2, Quote::Double, open..open);
                    self.at += 2;
                }
                (b'$' | b'`', _) => self.expansion(word, Quote::Double, quoted.clone()),
                _ => {
                    self.at = self.char_end(here);
                    word.literal(self.text, here..self.at, Quote::Double, quoted.clone());
                }
            }
        }
        self.out.broken |= !closed;
        let group = open..self.at;
        if word.parts.len() == first {
            let place = self.at.saturating_sub(usize::from(closed));
            word.literal(self.text, place..place, Quote::Double, Some(group));
        } else {
            for part in word.parts.iter_mut().skip(first) {
                part.group = group.clone();
            }
        }
    }

    pub(super) fn ansi(&mut self, word: &mut Builder) {
        let open = self.at;
        self.at += 2;
        let first = word.parts.len();
        let mut closed = false;
        while let Some(byte) = self.peek(0) {
            let here = self.at;
            if byte == b'\'' {
                self.at += 1;
                closed = true;
                break;
            }
            if byte == b'\\' && self.peek(1).is_some() {
                let (value, length) = ansi_escape(self.text.get(here + 1..).unwrap_or_default());
                word.escape(&value, here..here + 1 + length, Quote::Ansi, open..open);
                self.at += 1 + length;
            } else {
                self.at = self.char_end(here);
                word.literal(self.text, here..self.at, Quote::Ansi, Some(open..open));
            }
        }
        self.out.broken |= !closed;
        let group = open..self.at;
        if word.parts.len() == first {
            let place = self.at.saturating_sub(usize::from(closed));
            word.literal(self.text, place..place, Quote::Ansi, Some(group));
        } else {
            for part in word.parts.iter_mut().skip(first) {
                part.group = group.clone();
            }
        }
    }

    /// Takes `$NAME`, `${…}`, `$(…)`, `` `…` `` or `<(…)`; a lone `$` is text.
    pub(super) fn expansion(
        &mut self,
        word: &mut Builder,
        quote: Quote,
        group: Option<Range<usize>>,
    ) {
        let start = self.at;
        let name = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        let end = match (self.peek(0), self.peek(1)) {
            (Some(b'`'), _) | (_, Some(b'(' | b'{')) => self.nested(),
            (_, Some(b)) if b.is_ascii_digit() || b"@*#?$!-".contains(&b) => start + 2,
            (_, Some(b)) if name(b) => {
                let length = self
                    .bytes
                    .get(start + 1..)
                    .map_or(0, |rest| rest.iter().take_while(|b| name(**b)).count());
                start + 1 + length
            }
            _ => {
                // Were the line continued, `$` would belong to what follows.
                self.out.broken |=
                    self.peek(1) == Some(b'\\') && matches!(self.peek(2), Some(b'\n' | b'\r'));
                self.at += 1;
                word.literal(self.text, start..self.at, quote, group);
                return;
            }
        };
        self.at = end;
        word.push(PartKind::Expansion, self.text, start..end, quote, group);
    }

    /// The end of a nested expansion that starts at the place.
    fn nested(&mut self) -> usize {
        let mut at = self.at;
        let mut open: Vec<u8> = Vec::new();
        let get = |i: usize| self.bytes.get(i).copied();
        while let Some(byte) = get(at) {
            let inside = open.last().copied();
            let next = get(at + 1);
            at += 1;
            match (byte, inside) {
                (b'\\', Some(c)) if c != b'\'' => at += 1,
                (b'\'', Some(b'\'')) | (b'"', Some(b'"')) | (b'`', Some(b'`')) => {
                    open.pop();
                }
                (_, Some(b'\'')) => {}
                (b'$', _) if matches!(next, Some(b'(' | b'{')) => {
                    open.push(if next == Some(b'(') { b')' } else { b'}' });
                    at += 1;
                }
                (b'<' | b'>', None) if next == Some(b'(') => {
                    open.push(b')');
                    at += 1;
                }
                (b'`', _) => open.push(b'`'),
                (b'"', _) => open.push(b'"'),
                (b'\'', Some(b')' | b'}' | b'`')) => open.push(b'\''),
                (b'(', Some(b')')) => open.push(b')'),
                (b')', Some(b')')) | (b'}', Some(b'}')) => {
                    open.pop();
                }
                _ => {}
            }
            if open.is_empty() {
                return at;
            }
        }
        self.out.broken = true;
        self.bytes.len()
    }
}

/// What follows a backslash in `$'…'`: what it stands for, and how many bytes it takes.
fn ansi_escape(rest: &str) -> (String, usize) {
    let number = |skip: usize, most: usize, radix: u32| {
        let digits: String = rest
            .chars()
            .skip(skip)
            .take(most)
            .take_while(|c| c.is_digit(radix))
            .collect();
        let value = u32::from_str_radix(&digits, radix)
            .ok()
            .and_then(char::from_u32);
        (value, skip + digits.len())
    };
    let first = rest.chars().next().unwrap_or('\\');
    let simple = match first {
        'n' => Some('\n'),
        't' => Some('\t'),
        'r' => Some('\r'),
        'a' => Some('\u{7}'),
        'b' => Some('\u{8}'),
        'e' | 'E' => Some('\u{1b}'),
        'f' => Some('\u{c}'),
        'v' => Some('\u{b}'),
        '\\' | '\'' | '"' | '?' => Some(first),
        _ => None,
    };
    if let Some(c) = simple {
        return (c.to_string(), 1);
    }
    let (value, length) = match first {
        'x' => number(1, 2, 16),
        'u' => number(1, 4, 16),
        'U' => number(1, 8, 16),
        '0'..='7' => number(0, 3, 8),
        _ => (None, first.len_utf8()),
    };
    match value {
        Some(c) if c != '\0' => (c.to_string(), length),
        _ => {
            let length = length.max(first.len_utf8());
            let kept = rest.get(..length).unwrap_or_default();
            (format!("\\{kept}"), length)
        }
    }
}

#[derive(Default)]
pub(super) struct Builder {
    value: String,
    pub(super) parts: Vec<Part>,
}

impl Builder {
    pub(super) fn literal(
        &mut self,
        text: &str,
        raw: Range<usize>,
        quote: Quote,
        group: Option<Range<usize>>,
    ) {
        self.push(PartKind::Literal, text, raw, quote, group);
    }

    /// Adds a part whose value is its own text; joins literals that follow one another.
    pub(super) fn push(
        &mut self,
        kind: PartKind,
        text: &str,
        raw: Range<usize>,
        quote: Quote,
        group: Option<Range<usize>>,
    ) {
        let start = self.value.len();
        self.value
            .push_str(text.get(raw.clone()).unwrap_or_default());
        let end = self.value.len();
        if let Some(last) = self.parts.last_mut() {
            let joins = kind == PartKind::Literal
                && last.kind == kind
                && last.quote == quote
                && last.raw.end == raw.start
                && !raw.is_empty();
            if joins {
                last.raw.end = raw.end;
                last.value.end = end;
                if quote == Quote::None {
                    last.group.end = raw.end;
                }
                return;
            }
        }
        self.parts.push(Part {
            kind,
            quote,
            group: group.unwrap_or_else(|| raw.clone()),
            raw,
            value: start..end,
        });
    }

    pub(super) fn escape(
        &mut self,
        value: &str,
        raw: Range<usize>,
        quote: Quote,
        group: Range<usize>,
    ) {
        let start = self.value.len();
        self.value.push_str(value);
        self.parts.push(Part {
            kind: PartKind::Escape,
            quote,
            raw,
            value: start..self.value.len(),
            group,
        });
    }

    /// The word; a continuation at its end belongs to what follows it.
    pub(super) fn finish(mut self, mut span: Range<usize>, raw: &str) -> Word {
        while let Some(last) = self.parts.last().filter(|p| p.is_continuation()) {
            if self.parts.len() == 1 || last.quote != Quote::None {
                break;
            }
            span.end = last.raw.start;
            self.parts.pop();
        }
        let raw = raw.get(..span.len()).unwrap_or(raw);
        Word {
            span,
            raw: raw.to_owned(),
            value: self.value,
            parts: self.parts,
        }
    }
}
