//! Slugs: the part of a run's address that is made from its path below `content/`.

/// Most bytes of a slug. Two of them and `-vs-` make one file name, which may have 255.
pub const MOST_BYTES: usize = 120;

/// Why there is no slug, or why a given one cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SlugError {
    /// Nothing that may stand in an address.
    #[error("has no letter and no digit that can stand in an address")]
    Empty,
    /// More than [`MOST_BYTES`].
    #[error("is longer than {MOST_BYTES} bytes")]
    TooLong,
    /// A character that may not stand there.
    #[error("must not have {0:?} in it")]
    Character(char),
    /// A segment between slashes that cannot be a folder.
    #[error("{0}")]
    Segment(&'static str),
}

/// The slug of a file, from its path below `content/` without the ending.
///
/// # Errors
/// [`SlugError::Empty`] where nothing is left of the file's name.
pub fn from_path(stem: &str) -> Result<String, SlugError> {
    let stem = stem.strip_prefix("runs/").unwrap_or(stem);
    let (folders, name) = stem.rsplit_once('/').unwrap_or(("", stem));
    let name = segment(name);
    if name.is_empty() {
        return Err(SlugError::Empty);
    }
    let mut slug: String = folders
        .split('/')
        .map(segment)
        .filter(|folder| !folder.is_empty())
        .map(|folder| folder + "/")
        .collect();
    slug.push_str(&name);
    while slug.len() > MOST_BYTES {
        slug.pop();
    }
    // The cut may have left a dot, a dash or a slash at the end.
    slug.truncate(slug.trim_end_matches(['.', '-', '/']).len());
    Ok(slug)
}

/// One segment with everything that may not stand in it replaced.
fn segment(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(if ascii_stays(c) { c } else { '-' });
        } else if c.is_alphabetic() {
            // Lower-casing may give marks beside the letter ("İ"); only letters stay.
            out.extend(c.to_lowercase().filter(|c| c.is_alphabetic()));
        } else {
            out.push('-');
        }
    }
    let out = out.trim_matches(['.', '-']);
    let (stem, rest) = out.split_at(out.find('.').unwrap_or(out.len()));
    if is_device(stem) {
        format!("{stem}_{rest}")
    } else {
        out.to_owned()
    }
}

fn ascii_stays(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-')
}

/// Names that Windows gives to devices: no folder can have them there, with or without an ending.
fn is_device(stem: &str) -> bool {
    let stem = stem.to_ascii_lowercase();
    let numbered = |word| {
        stem.strip_prefix(word)
            .is_some_and(|n| n.len() == 1 && n.bytes().all(|b| matches!(b, b'1'..=b'9')))
    };
    matches!(stem.as_str(), "con" | "prn" | "aux" | "nul") || numbered("com") || numbered("lpt")
}

/// Whether a given text is a slug: what [`from_path`] would make of it, unchanged.
///
/// # Errors
/// What is wrong with it.
pub fn check(slug: &str) -> Result<(), SlugError> {
    if slug.is_empty() {
        return Err(SlugError::Empty);
    }
    for part in slug.split('/') {
        check_segment(part)?;
    }
    if slug.len() > MOST_BYTES {
        return Err(SlugError::TooLong);
    }
    Ok(())
}

/// Whether one segment of an address may be used as it is, whatever its length.
///
/// # Errors
/// What is wrong with it.
pub fn check_segment(part: &str) -> Result<(), SlugError> {
    let stays = |c: char| {
        if c.is_ascii() {
            ascii_stays(c)
        } else {
            c.is_alphabetic() && c.to_lowercase().eq([c])
        }
    };
    if let Some(c) = part.chars().find(|c| !stays(*c)) {
        return Err(SlugError::Character(c));
    }
    if part.is_empty() {
        return Err(SlugError::Segment(
            "must not begin or end with a slash, or have two in a row",
        ));
    }
    if part.starts_with(['.', '-']) || part.ends_with(['.', '-']) {
        return Err(SlugError::Segment(
            "must not have a dot or a dash at the beginning or the end of a part",
        ));
    }
    if is_device(part.split('.').next().unwrap_or(part)) {
        return Err(SlugError::Segment(
            "has a part that is the name of a device on Windows",
        ));
    }
    Ok(())
}

/// A path for a link: every byte that may not stand in an address as `%E2`.
pub fn encode_path(path: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(path.len());
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a String cannot fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_path_becomes_a_slug() {
        for (stem, slug) in [
            ("a", "a"),
            ("runs/a", "a"),
            ("runs/h200/a", "h200/a"),
            ("runs/runs/a", "runs/a"),
            ("old/runs/a", "old/runs/a"),
            ("Qwen3.5-397B_v2", "Qwen3.5-397B_v2"),
            ("v0.4.29 (GPU)", "v0.4.29--GPU"),
            ("-.a.-", "a"),
            ("Ωμέγα Σ", "ωμέγα-σ"),
            ("سرعة", "سرعة"),
            ("a🚀b", "a-b"),
            ("İx", "ix"),
            ("!!!/a", "a"),
            ("nul", "nul_"),
            ("Con.json.resume/x", "Con_.json.resume/x"),
            ("console", "console"),
        ] {
            assert_eq!(from_path(stem).as_deref(), Ok(slug), "{stem}");
        }
        assert_eq!(from_path("runs/🚀"), Err(SlugError::Empty));
        assert_eq!(from_path("a/..."), Err(SlugError::Empty));
    }

    #[test]
    fn a_long_path_is_cut_between_characters() {
        let slug = from_path(&"語".repeat(200)).unwrap();
        assert_eq!(slug, "語".repeat(40));
        let slug = from_path(&format!("{}/{}", "a".repeat(119), "b".repeat(9))).unwrap();
        assert_eq!(slug, "a".repeat(119));
    }

    #[test]
    fn a_given_slug_is_checked() {
        for slug in ["a", "a/b.c_d-e", "ωμέγα", "A/B"] {
            assert_eq!(check(slug), Ok(()), "{slug}");
        }
        for (slug, said) in [
            (
                "",
                "has no letter and no digit that can stand in an address",
            ),
            ("a b", "must not have ' ' in it"),
            ("a\\b", "must not have '\\\\' in it"),
            ("Ω", "must not have 'Ω' in it"),
            (
                "/a",
                "must not begin or end with a slash, or have two in a row",
            ),
            (
                "a//b",
                "must not begin or end with a slash, or have two in a row",
            ),
            (
                "../a",
                "must not have a dot or a dash at the beginning or the end of a part",
            ),
            (
                "a/b-",
                "must not have a dot or a dash at the beginning or the end of a part",
            ),
            (
                "a/aux.b",
                "has a part that is the name of a device on Windows",
            ),
        ] {
            assert_eq!(check(slug).unwrap_err().to_string(), said, "{slug}");
        }
        assert_eq!(check(&"a".repeat(121)), Err(SlugError::TooLong));
    }

    #[test]
    fn links_are_percent_encoded() {
        assert_eq!(encode_path("runs/a b/ü~"), "runs/a%20b/%C3%BC~");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(10_000))]
        #[test]
        fn a_slug_is_allowed_and_stays_itself(stem in "(runs/)?(\\PC{1,60}/){0,3}[\\PC.\\-]{1,90}") {
            if let Ok(slug) = from_path(&stem) {
                prop_assert_eq!(check(&slug), Ok(()));
                prop_assert!(slug.len() <= MOST_BYTES);
                // A leading `runs/` that was the second one is taken as the first.
                prop_assert_eq!(from_path(&format!("runs/{slug}")), Ok(slug.clone()));
                let link = encode_path(&slug);
                prop_assert!(link.bytes().all(|b| b.is_ascii_graphic() && !b"?#\"'<>&".contains(&b)));
            }
        }
    }
}
