//! Launch commands: read as a shell would, shown one flag a line, copied as one safe line.
//!
//! The words are cut by [`lexer`], written for this. Weighed and left: `brush-parser` 0.4 (80
//! crates, among them `insta`, `bon` and `cached`; one mistake and there is no tree, where a page
//! must still show the command), `yash-syntax` (GPL), `shlex` 2 (no places, no operators, no
//! here-documents), `conch-parser` (no release since 2019). All of them read `<redacted>` as a
//! redirection, and none can tell where in the text a word's value stands, which hiding secrets
//! needs.
//!
//! This module hides nothing: it gets commands from which [`crate::redact`] has taken the secrets.

pub mod copy;
pub mod flags;
pub mod highlight;
mod json_values;
pub mod lexer;
mod lines;
mod programs;
mod server;
pub mod settings;
mod table;

use lexer::{HereDocument, Token, Word, lex};

pub use copy::quoted;
pub use flags::{Flag, Origin};
pub use highlight::highlight_bash;
pub use json_values::{JsonEntry, JsonValue};
pub use server::Server;
pub use settings::{Setting, SettingKind};

/// Texts longer than this (in bytes) are no command that someone typed; they are kept unread.
pub const LONGEST: usize = 1 << 20;

/// Words that begin or end a compound command where a command is expected.
const KEYWORDS: [&str; 21] = [
    "if", "then", "elif", "else", "fi", "for", "select", "while", "until", "do", "done", "case",
    "esac", "function", "coproc", "{", "}", "!", "[[", "in", "]]",
];

/// A redirection: `2>&1`, `> log.txt`, `<<< text`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Redirection {
    /// To or from a file or descriptor.
    File {
        /// With any number in front.
        operator: String,
        /// What follows.
        target: Word,
    },
    /// A here-document.
    Document {
        /// Operator and delimiter.
        document: HereDocument,
        /// Its lines, each with its line end.
        body: String,
    },
}

/// One simple command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simple {
    /// Comments that stand before it or on its line, with their `#`.
    pub comments: Vec<String>,
    /// How many subshells open before it.
    pub opens: usize,
    /// `NAME=value` in front of the program.
    pub assignments: Vec<Word>,
    /// The program and its arguments.
    pub words: Vec<Word>,
    /// In order, wherever they stand.
    pub redirections: Vec<Redirection>,
    /// How many subshells close after it.
    pub closes: usize,
    /// Redirections of the subshell that closes after it.
    pub outer: Vec<Redirection>,
    /// What joins it to the next: `&&`, `||`, `|`, `|&`, `&`, `;`; empty at the end.
    pub joint: &'static str,
}

/// A launch command: one or more commands of a shell, or a text that is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchCommand {
    /// The text with line ends as `\n`.
    text: String,
    /// `None` where the text is beyond what is understood here: unbalanced quotes, loops and other
    /// compound commands.
    commands: Option<Vec<Simple>>,
    /// Comments after the last command.
    trailing: Vec<String>,
}

impl LaunchCommand {
    /// Reads a text. Never fails: what cannot be read is kept and shown as it is.
    pub fn parse(text: &str) -> Self {
        Self::parse_nested(text, 0)
    }

    /// Reads a text that stands `depth` levels deep in others.
    fn parse_nested(text: &str, depth: usize) -> Self {
        let mut text = text.replace("\r\n", "\n");
        // A continuation with nothing after it.
        if let Some(rest) = text.trim_end().strip_suffix('\\')
            && rest.ends_with([' ', '\t', '\n'])
            && lex(&text).broken
            && !lex(rest).broken
        {
            text.truncate(rest.len());
        }
        let (commands, trailing) = if text.len() <= LONGEST && !text.contains('\0') {
            read(&text, depth)
        } else {
            None
        }
        .map_or((None, Vec::new()), |(commands, trailing)| {
            (Some(commands), trailing)
        });
        Self {
            text,
            commands,
            trailing,
        }
    }

    /// The commands, or nothing where the text was not understood.
    pub fn commands(&self) -> &[Simple] {
        self.commands.as_deref().unwrap_or_default()
    }

    /// Whether the text was understood.
    pub fn is_understood(&self) -> bool {
        self.commands.is_some()
    }

    /// The text, with line ends as `\n`.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// For display: program (with subcommand and positional words) first, then a flag with its
    /// value a line, two blanks in; each line but a command's last ends in ` \`. Joined by line
    /// ends it is a text that a shell reads as the same command.
    pub fn lines(&self) -> Vec<String> {
        lines::lines(self)
    }

    /// Whether something in it was hidden, or left out by its author (`<your-token>`).
    pub fn has_hidden(&self) -> bool {
        flags::is_hidden(&self.text)
    }

    /// For copying: one line that a shell takes safely. What was hidden is a quoted variable.
    pub fn one_line(&self) -> String {
        copy::one_line(self)
    }

    /// Its long JSON values, key by key.
    pub fn json_values(&self) -> Vec<JsonValue> {
        json_values::json_values(self)
    }

    /// The command that starts the server.
    pub fn server(&self) -> Option<Server> {
        server::find(self)
    }

    /// The server's flags, its environment and its container's options, by their canonical names.
    pub fn flags(&self) -> Vec<Flag> {
        flags::flags(self)
    }

    /// Facts that readers filter by.
    pub fn settings(&self) -> Vec<Setting> {
        settings::settings(self)
    }

    /// The model that is served.
    pub fn model(&self) -> Option<String> {
        settings::model(self)
    }

    /// The name under which it is served.
    pub fn served_name(&self) -> Option<String> {
        settings::served_name(self)
    }

    /// The engine: `vllm`, `sglang`, `llama.cpp`…
    pub fn engine(&self) -> Option<&'static str> {
        self.server().map(|server| server.engine)
    }
}

/// Whether a word is `NAME=value`, with the name unquoted.
pub fn is_assignment(word: &Word) -> bool {
    let Some(at) = word.raw.find('=') else {
        return false;
    };
    let name = word.raw.get(..at).unwrap_or_default();
    is_name(name.strip_suffix('+').unwrap_or(name))
}

/// Whether a text is a name of a variable.
pub fn is_name(text: &str) -> bool {
    text.bytes().next().is_some_and(|b| !b.is_ascii_digit())
        && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

/// Deepest nesting of `$(…)` that is read.
const DEEPEST: usize = 4;

/// The simple commands of a text and the comments after them; `None` for anything compound.
fn read(text: &str, depth: usize) -> Option<(Vec<Simple>, Vec<String>)> {
    let lexed = lex(text);
    if lexed.broken {
        return None;
    }
    let mut reader = Reader::default();
    let mut tokens = lexed.tokens.into_iter().peekable();
    while let Some(token) = tokens.next() {
        match token {
            Token::Comment(range) => {
                let comment = text.get(range).unwrap_or_default().trim_end();
                reader.current.comments.push(comment.to_owned());
            }
            Token::Newline => reader.newline(),
            Token::Operator("(") => reader.open()?,
            Token::Operator(")") => reader.close()?,
            Token::Operator(operator) => reader.join(operator)?,
            Token::Redirect(operator) => {
                let Some(Token::Word(target)) = tokens.next() else {
                    return None;
                };
                safe_word(&target, text, depth)?;
                reader.redirect(Redirection::File { operator, target });
            }
            Token::HereDocument(document) => {
                let body = text
                    .get(document.body.clone())
                    .unwrap_or_default()
                    .to_owned();
                reader.redirect(Redirection::Document { document, body });
            }
            Token::Word(word) => {
                safe_word(&word, text, depth)?;
                reader.word(word)?;
            }
        }
    }
    reader.finish()
}

/// Whether the expansions of a word are of the kinds that can be copied: anything nested must be
/// understood itself.
fn safe_word(word: &Word, text: &str, depth: usize) -> Option<()> {
    for part in word
        .parts
        .iter()
        .filter(|p| p.kind == lexer::PartKind::Expansion)
    {
        let raw = text.get(part.raw.clone()).unwrap_or_default();
        if raw.starts_with("$((") {
            let plain = |c: char| c.is_ascii_alphanumeric() || " _+-*/%()$".contains(c);
            let inside = raw.strip_prefix("$((")?.strip_suffix("))")?;
            if !inside.chars().all(plain) || inside.contains("$(") {
                return None;
            }
        } else if let Some(inside) = substitution(raw) {
            let nested =
                (depth < DEEPEST).then(|| LaunchCommand::parse_nested(inside, depth + 1))?;
            let simple = |c: &Simple| {
                let document = |r: &Redirection| matches!(r, Redirection::Document { .. });
                !c.redirections.iter().chain(&c.outer).any(document)
            };
            if !nested.is_understood() || !nested.commands().iter().all(simple) {
                return None;
            }
        } else if raw.starts_with("${") {
            let mut inside = raw.strip_prefix("${")?.strip_suffix('}')?.to_owned();
            for placeholder in crate::redact::PLACEHOLDERS {
                inside = inside.replace(placeholder, "");
            }
            let plain = |c: char| c.is_ascii_alphanumeric() || "_:-+=/.,@*#%^?!~".contains(c);
            let starts = inside.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            if !starts || !inside.chars().all(plain) {
                return None;
            }
        } else if raw.starts_with('`') && raw.contains(['\n', '<', '\\']) {
            return None;
        }
    }
    Some(())
}

/// What stands in `$(…)`, `<(…)` or `>(…)`.
fn substitution(raw: &str) -> Option<&str> {
    ["$(", "<(", ">("]
        .into_iter()
        .find_map(|open| raw.strip_prefix(open))?
        .strip_suffix(')')
}

#[derive(Default)]
struct Reader {
    done: Vec<Simple>,
    current: Simple,
    depth: usize,
    /// Whether a subshell has just been closed, so that no word may follow.
    closed: bool,
}

impl Reader {
    fn empty(&self) -> bool {
        self.current.assignments.is_empty()
            && self.current.words.is_empty()
            && self.current.redirections.is_empty()
    }

    fn word(&mut self, word: Word) -> Option<()> {
        if self.closed {
            return None;
        }
        if self.current.words.is_empty() && is_assignment(&word) {
            self.current.assignments.push(word);
            return Some(());
        }
        // Redirections before it move behind it, where it would be a keyword.
        let first = self.current.words.is_empty() && self.current.assignments.is_empty();
        // A prompt that was copied with the command.
        if first && word.raw == "$" {
            return Some(());
        }
        if first && KEYWORDS.contains(&word.raw.as_str()) {
            return None;
        }
        self.current.words.push(word);
        Some(())
    }

    fn redirect(&mut self, redirection: Redirection) {
        if self.closed {
            self.current.outer.push(redirection);
        } else {
            self.current.redirections.push(redirection);
        }
    }

    fn open(&mut self) -> Option<()> {
        // After a word it would be an array or a function.
        if !self.empty() || self.closed {
            return None;
        }
        self.current.opens += 1;
        self.depth += 1;
        Some(())
    }

    fn close(&mut self) -> Option<()> {
        if self.depth == 0 {
            return None;
        }
        if self.empty() && !self.closed {
            // `(a; b;)`: the subshell ends after the command before.
            if self.current.opens > 0 {
                return None;
            }
            let last = self.done.pop()?;
            if !matches!(last.joint, ";" | "&") {
                return None;
            }
            let comments = std::mem::take(&mut self.current.comments);
            self.current = last;
            self.current.comments.extend(comments);
            if self.current.joint == "&" {
                return None;
            }
            self.current.joint = "";
        }
        if !self.current.outer.is_empty() {
            return None;
        }
        self.current.closes += 1;
        self.depth -= 1;
        self.closed = true;
        Some(())
    }

    fn join(&mut self, operator: &'static str) -> Option<()> {
        if (self.empty() && !self.closed) || operator == ";;" {
            return None;
        }
        self.current.joint = operator;
        self.done.push(std::mem::take(&mut self.current));
        self.closed = false;
        Some(())
    }

    fn newline(&mut self) {
        if !self.empty() || self.closed {
            self.current.joint = ";";
            self.done.push(std::mem::take(&mut self.current));
            self.closed = false;
        }
    }

    fn finish(mut self) -> Option<(Vec<Simple>, Vec<String>)> {
        self.newline();
        if self.depth > 0 || self.current.opens > 0 {
            return None;
        }
        if let Some(last) = self.done.last_mut() {
            match last.joint {
                ";" => last.joint = "",
                "&" => {}
                _ => return None,
            }
        }
        Some((self.done, self.current.comments))
    }
}
