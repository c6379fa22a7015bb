//! Launch commands with highlighting.

/// A command as HTML, marked as bash; see [`crate::highlight::highlight`].
pub fn highlight_bash(text: &str) -> String {
    crate::highlight::highlight(text, "bash")
}
