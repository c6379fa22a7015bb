//! Secrets in commands: by the names of flags, variables, keys and headers, in whatever quotes.

use std::ops::Range;

use super::hosts::{Hit, in_address_value};
use super::names::{Meaning, is_plain, meaning};
use super::pairs::{PAIR, base_name, place, scheme_length, value_end, whole_assignment};
use super::{HiddenKind, Redactor, join};
use crate::launch::LONGEST;
use crate::launch::lexer::{PartKind, Quote, Token, Word, lex};

/// Deepest nesting of commands in commands.
const DEEPEST: usize = 4;

/// Shortest secret that is looked for elsewhere in the text.
const SHORTEST: usize = 6;

/// Everything to hide in a command, in order, without overlaps.
pub(super) fn find(redactor: &Redactor, text: &str, names: &[String]) -> Vec<Hit> {
    let mut hits = redactor.plain_hits(text, names);
    redactor.prose.find(text, &mut hits);
    let mut groups = Vec::new();
    let mut secrets = Vec::new();
    if text.len() <= LONGEST {
        let mut finder = Finder {
            redactor,
            names,
            hits: &mut hits,
            groups: &mut groups,
            secrets: &mut secrets,
        };
        finder.commands(text, 0, 0);
    }
    groups.sort_by_key(|group| group.start);
    // The same secret elsewhere: in a second command, a comment, another spelling.
    for (_, range) in hits.iter().filter(|(kind, _)| *kind == HiddenKind::Secret) {
        secrets.extend(text.get(range.clone()).map(str::to_owned));
    }
    secrets.retain(|s| s.len() >= SHORTEST && s.len() <= 4096 && !s.contains('<') && !is_plain(s));
    secrets.sort();
    secrets.dedup();
    if !secrets.is_empty() {
        repeated(text, &secrets, &mut hits);
    }
    let hits = redactor.settle(text, hits);
    let hits = hits
        .into_iter()
        .map(|(kind, range)| (kind, balanced(&groups, range)))
        .collect();
    join(text, hits)
}

/// Places where a known secret stands again, as a word of its own.
fn repeated(text: &str, secrets: &[String], hits: &mut Vec<Hit>) {
    let Ok(automaton) = aho_corasick::AhoCorasick::new(secrets) else {
        return;
    };
    for found in automaton.find_iter(text) {
        let joins = |b: Option<&u8>| b.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let before = found
            .start()
            .checked_sub(1)
            .and_then(|at| text.as_bytes().get(at));
        if !joins(before) && !joins(text.as_bytes().get(found.end())) {
            hits.push((HiddenKind::Secret, found.start()..found.end()));
        }
    }
}

/// A range that opens or closes no quotes: where it begins or ends inside of some without both
/// being in the same, they are hidden with it.
fn balanced(groups: &[Range<usize>], range: Range<usize>) -> Range<usize> {
    let around = |at: usize| {
        let next = groups.partition_point(|group| group.start < at);
        let group = groups.get(next.checked_sub(1)?)?;
        (group.start < at && at < group.end).then(|| group.clone())
    };
    let (first, last) = (around(range.start), around(range.end));
    if first == last {
        return range;
    }
    let start = first.map_or(range.start, |group| group.start);
    let end = last.map_or(range.end, |group| group.end);
    start..end
}

/// What the next word is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Nothing,
    /// A secret.
    Secret,
    /// Secrets, as many as follow.
    Secrets,
    /// A host.
    Address,
}

struct Finder<'a> {
    redactor: &'a Redactor,
    names: &'a [String],
    hits: &'a mut Vec<Hit>,
    /// Quoted stretches, with their quotes.
    groups: &'a mut Vec<Range<usize>>,
    /// Values of secrets, without quotes.
    secrets: &'a mut Vec<String>,
}

impl Finder<'_> {
    /// The words of all commands of a text that begins at `base` of the whole.
    fn commands(&mut self, text: &str, base: usize, depth: usize) {
        let mut words: Vec<Word> = Vec::new();
        let mut target = false;
        for token in lex(text).tokens {
            match token {
                // The target of a redirection is no argument.
                Token::Word(word) if std::mem::take(&mut target) => {
                    self.command(text, base, depth, &[word]);
                }
                Token::Word(word) => words.push(word),
                Token::Redirect(_) => target = true,
                Token::HereDocument(document) => {
                    words.push(document.delimiter);
                    let body = text.get(document.body.clone()).unwrap_or_default();
                    if depth < DEEPEST {
                        self.commands(body, base + document.body.start, depth + 1);
                    }
                }
                Token::Comment(range) => {
                    let comment = text.get(range.clone()).unwrap_or_default();
                    let inside = comment.trim_start_matches('#');
                    let skipped = comment.len() - inside.len();
                    if depth < DEEPEST {
                        self.commands(inside, base + range.start + skipped, depth + 1);
                    }
                }
                Token::Operator(_) | Token::Newline => {
                    target = false;
                    self.command(text, base, depth, &words);
                    words.clear();
                }
            }
        }
        self.command(text, base, depth, &words);
    }

    /// The words of one command.
    fn command(&mut self, text: &str, base: usize, depth: usize, words: &[Word]) {
        let mut next = Next::Nothing;
        let mut program: Vec<&str> = Vec::new();
        for word in words {
            if depth == 0 {
                self.quotes(word, base);
            }
            self.unquoted(word, base);
            self.nested(text, base, depth, word);
            // What a shell on another machine is told is a command, whatever it begins with.
            let tool = program.first().map_or("", |word| base_name(word));
            let told = matches!(tool, "ssh" | "mosh" | "autossh" | "bash" | "sh" | "zsh");
            self.pairs(word, base, told && word.raw.starts_with(['"', '\'']));
            let flag = crate::launch::flags::is_flag(&word.value);
            let expected = std::mem::replace(&mut next, Next::Nothing);
            match expected {
                Next::Secret | Next::Secrets if !flag => {
                    self.secret(word, base, 0..word.value.len());
                    if expected == Next::Secrets {
                        next = expected;
                    }
                    continue;
                }
                Next::Address if !flag => {
                    self.address(word, base, 0);
                    continue;
                }
                _ => {}
            }
            if flag {
                next = self.flag(word, base, &program);
            } else {
                self.positional(word, base, &program);
                // A prompt is no program.
                if !(program.is_empty() && word.raw == "$") {
                    program.push(&word.value);
                }
            }
        }
    }

    /// A flag: hides a value that is glued to it, or says what the next word is.
    fn flag(&mut self, word: &Word, base: usize, program: &[&str]) -> Next {
        let value = word.value.as_str();
        let tool = program.first().map_or("", |word| base_name(word));
        let sub = program.get(1).copied().unwrap_or_default();
        // Short flags that are secrets with some programs.
        let short: &[&str] = match (tool, sub) {
            ("curl" | "wget" | "http" | "https" | "xh", _) => {
                &["-u", "--user", "-U", "--proxy-user", "-a"]
            }
            ("sshpass", _) => &["-p"],
            ("docker" | "podman" | "nerdctl" | "helm" | "oras" | "skopeo", "login") => &["-p"],
            ("redis-cli", _) => &["-a"],
            ("llama-server", _) => &["-hft"],
            _ => &["-hft", "--user-password"],
        };
        if let Some((name, _)) = value.split_once('=')
            && value.starts_with("--")
        {
            let after = name.len() + 1;
            if short.contains(&name) || meaning(name) == Some(Meaning::Secret) {
                self.secret(word, base, after..value.len());
            } else if meaning(name) == Some(Meaning::Address) {
                self.address(word, base, after);
            }
            return Next::Nothing;
        }
        // `-e NAME=value` in one word has been seen as a pair.
        if value.contains('=') && !value.starts_with("-u") {
            return Next::Nothing;
        }
        if short.contains(&value) {
            return Next::Secret;
        }
        let glued = short
            .iter()
            .find(|name| name.len() == 2 && value.len() > 2 && value.starts_with(**name));
        if glued.is_some() && !value.starts_with("--") {
            self.secret(word, base, 2..value.len());
            return Next::Nothing;
        }
        match self.redactor.prose.meaning(value) {
            Some(Meaning::Secret) if value.len() > 2 => {
                let many = ["--api-key", "--api_key", "--api-keys"].contains(&value);
                if many { Next::Secrets } else { Next::Secret }
            }
            Some(Meaning::Address) => Next::Address,
            _ if value == "-h" && matches!(tool, "docker" | "podman" | "nerdctl") => Next::Address,
            _ if value == "-H" && tool.starts_with("mpi") => Next::Address,
            _ => Next::Nothing,
        }
    }

    /// A word that is no flag and no value: hosts of `ssh`, keys of `wandb login`.
    fn positional(&mut self, word: &Word, base: usize, program: &[&str]) {
        let tool = program.first().map_or("", |word| base_name(word));
        let sub = program.get(1).copied().unwrap_or_default();
        match (tool, sub, program.len()) {
            // The first word that is no value of an option: `ssh -p 22 -i key host`.
            ("ssh" | "mosh" | "autossh" | "ssh-copy-id" | "ping", _, 1..) => {
                let value = |w: &&str| w.contains('/') || w.bytes().all(|b| b.is_ascii_digit());
                if program.iter().skip(1).all(value) {
                    self.login(word, base);
                }
            }
            ("scp" | "rsync", ..) if word.value.contains(':') => self.login(word, base),
            ("wandb", "login", 2) | ("ngc", "login", 2) => {
                self.secret(word, base, 0..word.value.len());
            }
            _ => {}
        }
    }

    /// `NAME=value`, `"name": "value"`, `Name: value` in a word, whatever is around them.
    fn pairs(&mut self, word: &Word, base: usize, is_command: bool) {
        let value = word.value.as_str();
        if !value.contains(['=', ':']) || !self.redactor.prose.may_name(value) {
            return;
        }
        if let Some(captures) = whole_assignment(value).filter(|_| !is_command) {
            let (name, start) = captures;
            match meaning(name) {
                Some(Meaning::Secret) => self.secret(word, base, start..value.len()),
                Some(Meaning::Address) => self.address(word, base, start),
                None => {}
            }
        }
        let Some(pair) = PAIR.as_ref() else { return };
        let mut at = 0;
        while let Some(captures) = pair.captures_at(value, at) {
            let name = captures.get(1);
            let found = (2..=6).find_map(|group| captures.get(group));
            let (Some(name), Some(found)) = (name, found) else {
                break;
            };
            // What is no secret may begin with a name of its own: `literal=token=…`.
            at = found.start().max(at + 1);
            while !value.is_char_boundary(at) {
                at += 1;
            }
            // `${NAME:-default}` is seen to where expansions are.
            let before = value.get(..name.start()).unwrap_or_default();
            if before.ends_with("${") {
                continue;
            }
            let open = captures.get(5).or(captures.get(6)).is_some();
            let end = if open {
                value_end(value, found.end())
            } else {
                found.end()
            };
            match self.redactor.prose.meaning(name.as_str()) {
                Some(Meaning::Secret) => {
                    let scheme = scheme_length(found.as_str());
                    self.secret(word, base, found.start() + scheme..end);
                    at = end;
                }
                Some(Meaning::Address) if captures.get(6).is_none() => {
                    let mut inside = Vec::new();
                    in_address_value(
                        value.get(found.start()..end).unwrap_or_default(),
                        &mut inside,
                    );
                    for (kind, range) in inside {
                        let range = range.start + found.start()..range.end + found.start();
                        self.hits.push((kind, place(word, base, &range)));
                    }
                }
                _ => {}
            }
        }
        // A header is all of its word: `Authorization: Bearer …`.
        if let Some((name, rest)) = value.split_once(':') {
            let header =
                !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-');
            if header && meaning(name) == Some(Meaning::Secret) {
                let blank = rest.len() - rest.trim_start().len();
                let start = name.len() + 1 + blank;
                let scheme = scheme_length(value.get(start..).unwrap_or_default());
                self.secret(word, base, start + scheme..value.len());
            }
        }
    }

    /// Remembers where quotes stand.
    fn quotes(&mut self, word: &Word, base: usize) {
        let mut last = usize::MAX;
        for part in word.parts.iter().filter(|p| p.quote != Quote::None) {
            if part.group.start != last {
                last = part.group.start;
                self.groups
                    .push(part.group.start + base..part.group.end + base);
            }
        }
    }

    /// What is only seen without quotes, escapes and continuations.
    fn unquoted(&mut self, word: &Word, base: usize) {
        if word.parts.len() < 2 && word.parts.iter().all(|p| p.kind != PartKind::Escape) {
            return;
        }
        let mut inside = self.redactor.plain_hits(&word.value, self.names);
        self.redactor.prose.find(&word.value, &mut inside);
        for (kind, range) in self.redactor.settle(&word.value, inside) {
            if kind == HiddenKind::Secret {
                self.secrets
                    .extend(word.value.get(range.clone()).map(str::to_owned));
            }
            self.hits.push((kind, place(word, base, &range)));
        }
    }

    /// Commands in a word: `$(…)`, and the text that is handed to a shell.
    fn nested(&mut self, text: &str, base: usize, depth: usize, word: &Word) {
        if depth >= DEEPEST {
            return;
        }
        for part in &word.parts {
            let raw = text.get(part.raw.clone()).unwrap_or_default();
            let start = base + part.raw.start;
            match part.kind {
                PartKind::Expansion => {
                    for (open, close) in [
                        ("$(", ")"),
                        ("`", "`"),
                        ("<(", ")"),
                        (">(", ")"),
                        ("${", "}"),
                    ] {
                        let inside = raw.strip_prefix(open).and_then(|r| r.strip_suffix(close));
                        if let Some(inside) = inside {
                            // `${NAME:-default}`: the default is a word.
                            let skip = if open == "${" {
                                inside.find('-').map_or(inside.len(), |n| n + 1)
                            } else {
                                0
                            };
                            let inside = inside.get(skip..).unwrap_or_default();
                            self.commands(inside, start + open.len() + skip, depth + 1);
                            if open == "${" {
                                self.default_value(raw, start);
                            }
                            break;
                        }
                    }
                }
                PartKind::Literal if part.quote != Quote::None && raw.contains([' ', '\n']) => {
                    self.commands(raw, start, depth + 1);
                }
                _ => {}
            }
        }
        // A text with escapes in it: the places of its words are only known without them.
        let escaped = word.parts.len() > 1 && word.parts.iter().any(|p| p.quote != Quote::None);
        if escaped && word.value.contains([' ', '\n']) {
            let mut hits = Vec::new();
            let mut inner = Finder {
                redactor: self.redactor,
                names: self.names,
                hits: &mut hits,
                groups: &mut Vec::new(),
                secrets: self.secrets,
            };
            inner.commands(&word.value, 0, depth + 1);
            for (kind, range) in hits {
                self.hits.push((kind, place(word, base, &range)));
            }
        }
    }

    /// `${API_KEY:-sk-…}`: the default of a variable that is a credential's.
    fn default_value(&mut self, raw: &str, start: usize) {
        let inside = raw.get(2..raw.len().saturating_sub(1)).unwrap_or_default();
        let end = inside
            .find(|c: char| !c.is_ascii_alphanumeric() && c != '_')
            .unwrap_or(inside.len());
        let (name, rest) = inside.split_at_checked(end).unwrap_or((inside, ""));
        let value = rest.trim_start_matches([':', '-', '=', '+']);
        let skipped = rest.len() - value.len();
        let secret = meaning(name) == Some(Meaning::Secret);
        if secret && skipped > 0 && !is_plain(value) && !value.starts_with('<') {
            let from = start + 2 + end + skipped;
            self.hits
                .push((HiddenKind::Secret, from..from + value.len()));
        }
    }

    /// Hides a part of a word's value, unless it is no secret: a variable, a switch.
    fn secret(&mut self, word: &Word, base: usize, range: Range<usize>) {
        let value = word.value.get(range.clone()).unwrap_or_default();
        let expanded = word
            .parts
            .iter()
            .filter(|p| p.value.start < range.end && range.start < p.value.end)
            .all(|p| p.kind == PartKind::Expansion);
        let placeholder = crate::launch::lexer::placeholder(value.as_bytes(), 0);
        let told = ["$(echo ", "$(printf ", "`echo ", "`printf "];
        let told = expanded && told.iter().any(|start| value.starts_with(start));
        if value.is_empty() || (expanded && !told) || placeholder == Some(value.len()) {
            return;
        }
        let masked = is_plain(value) && !(value.starts_with('$') || value.starts_with('`'));
        if masked {
            return;
        }
        self.secrets.push(value.to_owned());
        let whole = range.start == 0 && range.end == word.value.len();
        let place = if whole {
            word.span.start + base..word.span.end + base
        } else {
            place(word, base, &range)
        };
        self.hits.push((HiddenKind::Secret, place));
    }

    /// Hides `user@host`, with the user's name.
    fn login(&mut self, word: &Word, base: usize) {
        let end = word.value.find(':').unwrap_or(word.value.len());
        let login = word.value.get(..end).unwrap_or_default();
        match login.find('@') {
            Some(at) if !login.contains(['/', '<', '$']) && at > 0 => {
                self.hits
                    .push((HiddenKind::Host, place(word, base, &(0..end))));
            }
            _ => self.address(word, base, 0),
        }
    }

    /// Hides hosts in what follows `from` in a word.
    fn address(&mut self, word: &Word, base: usize, from: usize) {
        let mut inside = Vec::new();
        in_address_value(word.value.get(from..).unwrap_or_default(), &mut inside);
        for (kind, range) in inside {
            let range = range.start + from..range.end + from;
            self.hits.push((kind, place(word, base, &range)));
        }
    }
}
