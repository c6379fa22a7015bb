//! The words of a command as one line that a POSIX shell takes apart into the same words.

/// A word, quoted where the shell would read it as more than its letters.
pub fn quote(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_@%+=:,./-".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// `A=1 B='x y' program --flag`: variables first, sorted as they are given.
pub fn command<'a>(
    variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    words: impl IntoIterator<Item = &'a str>,
) -> String {
    let mut line: Vec<String> = variables
        .into_iter()
        .map(|(name, value)| format!("{name}={}", quote(value)))
        .collect();
    for (at, word) in words.into_iter().enumerate() {
        // An unquoted `a=b` before the command would be a variable.
        line.push(match (at, word.contains('=')) {
            (0, true) => format!("'{}'", word.replace('\'', r"'\''")),
            _ => quote(word),
        });
    }
    line.join(" ")
}

/// Whether the shell takes `name=` for the setting of a variable.
pub fn is_variable(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    #[test]
    fn a_shell_reads_back_the_same_words() {
        let words = [
            "a=b",
            "",
            "it's",
            "$HOME",
            "~",
            "a b",
            "--x={\"k\": [1]}",
            "`id`",
            "\\",
            "über",
            "line\nbreak",
            "*",
            "!x",
            "#",
            "plain/path.py",
        ];
        let line = command([("X", "1 2")], words);
        let script = format!(
            "f() {{ printf '%s\\0' \"$@\"; }}; f {}",
            line.strip_prefix("X='1 2' ").unwrap()
        );
        let out = Command::new("sh").args(["-c", &script]).output().unwrap();
        let read: Vec<String> = String::from_utf8(out.stdout)
            .unwrap()
            .split_terminator('\0')
            .map(str::to_owned)
            .collect();
        assert_eq!(read, words);
    }

    #[test]
    fn variables_stand_before_the_command() {
        let line = command([("A", "1"), ("B", "x y")], ["/bin/vllm", "serve", "org/m"]);
        assert_eq!(line, "A=1 B='x y' /bin/vllm serve org/m");
        assert!(is_variable("NCCL_P2P") && !is_variable("1A") && !is_variable("A-B"));
    }
}
