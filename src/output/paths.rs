//! Which paths a file of a site may have: the same on every system, so that content that builds on
//! one machine builds on all.

use super::error::OutputError;
use super::old_site::MARKER;

/// Checks that a path leads to a file inside the folder, whichever system it is on: segments
/// separated by `/`, none of which means anything but itself.
pub(super) fn check(path: &str) -> Result<(), OutputError> {
    let bad = |why| {
        Err(OutputError::BadPath {
            path: path.to_owned(),
            why,
        })
    };
    for (place, segment) in path.split('/').enumerate() {
        if let Some(why) = fault(segment) {
            return bad(why);
        }
        if place == 0 && segment.eq_ignore_ascii_case(".git") {
            return bad("it would take the place of a repository in the output folder");
        }
        if place == 0 && segment.eq_ignore_ascii_case(MARKER) {
            return bad("it is the name of the marker by which gen knows its folder");
        }
    }
    Ok(())
}

/// What is wrong with one segment.
fn fault(segment: &str) -> Option<&'static str> {
    if segment.is_empty() {
        return Some("it starts or ends with `/`, or has `//` in it");
    }
    if segment == "." || segment == ".." {
        return Some("`.` and `..` lead elsewhere");
    }
    if segment.contains(|c: char| c.is_ascii_control()) {
        return Some("it has a control character in it");
    }
    if segment.contains(['\\', ':', '<', '>', '"', '|', '?', '*']) {
        return Some("Windows allows none of \\ : < > \" | ? * in a name");
    }
    if segment.ends_with(['.', ' ']) {
        return Some("Windows drops a dot or a space at the end of a name");
    }
    let stem = segment
        .split('.')
        .next()
        .unwrap_or_default()
        .trim_end()
        .to_ascii_uppercase();
    let is_numbered = ["COM", "LPT"].iter().any(|device| {
        stem.strip_prefix(device).is_some_and(|n| {
            matches!(n.chars().next(), Some('1'..='9' | '¹' | '²' | '³')) && n.chars().count() == 1
        })
    });
    let is_device = matches!(
        stem.as_str(),
        "CON" | "PRN" | "AUX" | "NUL" | "CONIN$" | "CONOUT$"
    );
    (is_device || is_numbered).then_some("Windows keeps this name for a device")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_a_site_are_allowed() {
        for path in [
            "index.html",
            ".nojekyll",
            "CNAME",
            ".well-known/security.txt",
            "runs/console/index.html",
            "runs/com10/a.b.c",
            "runs/δοκιμή/run.json",
            "a/.git/b",
            "..a/b..c",
            "a b/c",
        ] {
            assert!(check(path).is_ok(), "{path}");
        }
    }

    #[test]
    fn paths_that_lead_elsewhere_or_surprise_are_refused() {
        for path in [
            "",
            "/",
            "/etc/passwd",
            "a/",
            "a//b",
            ".",
            "..",
            "../a",
            "a/../b",
            "a/./b",
            "a\0b",
            "a\nb",
            "a\\b",
            "C:",
            "C:/a",
            "a:stream",
            "a?",
            "nul",
            "NUL.html",
            "a/Aux/b",
            "com1",
            "lpt9.txt",
            "com¹",
            "con .txt",
            "a.",
            "a ",
            "a./b",
            ".git",
            ".GIT/config",
            ".speedbook",
            ".Speedbook",
        ] {
            assert!(
                matches!(check(path), Err(OutputError::BadPath { .. })),
                "{path:?}"
            );
        }
    }
}
