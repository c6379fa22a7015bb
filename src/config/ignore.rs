//! Patterns of files and folders that are left out.

use globset::{Glob, GlobBuilder, GlobSet, GlobSetBuilder};

/// Patterns over paths below `content/`.
#[derive(Clone, Debug, Default)]
pub struct Ignore {
    /// Patterns with a slash: of whole paths.
    paths: GlobSet,
    /// Patterns without one: of names anywhere.
    names: GlobSet,
}

impl Ignore {
    /// Compiles patterns.
    ///
    /// # Errors
    /// The index of each pattern that cannot be read, with what is wrong with it.
    pub fn compile<'a>(
        patterns: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, Vec<(usize, String)>> {
        let (mut paths, mut names) = (GlobSetBuilder::new(), GlobSetBuilder::new());
        let mut wrong = Vec::new();
        for (index, pattern) in patterns.into_iter().enumerate() {
            // `old/` is the folder; `/a.json` is a path from the top.
            let bare = pattern.trim_end_matches('/');
            match glob(bare.trim_start_matches('/')) {
                Ok(glob) if bare.contains('/') => paths.add(glob),
                Ok(glob) => names.add(glob),
                Err(what) => {
                    wrong.push((index, what));
                    continue;
                }
            };
        }
        if !wrong.is_empty() {
            return Err(wrong);
        }
        let built = |set: GlobSetBuilder| set.build().map_err(|e| vec![(0, e.to_string())]);
        Ok(Self {
            paths: built(paths)?,
            names: built(names)?,
        })
    }

    /// Whether the file or folder at `path` (below `content/`, with forward slashes) is left out;
    /// what is below a folder that is left out need not be asked for.
    pub fn matches(&self, path: &str) -> bool {
        let name = path.rsplit('/').next().unwrap_or(path);
        self.names.is_match(name) || self.paths.is_match(path)
    }
}

fn glob(pattern: &str) -> Result<Glob, String> {
    GlobBuilder::new(pattern)
        .literal_separator(true)
        .backslash_escape(true)
        .build()
        .map_err(|error| error.kind().to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_match_anywhere_and_paths_from_the_top() {
        let ignore =
            Ignore::compile(["*.log", "old/", "runs/a/*.json", "/top.txt", "x/**"]).unwrap();
        for path in [
            "a.log",
            "b/c.log",
            "old",
            "runs/old",
            "runs/a/b.json",
            "top.txt",
            "x/y",
            "x/y/z",
        ] {
            assert!(ignore.matches(path), "{path}");
        }
        for path in ["a.logs", "runs/a/b/c.json", "b/runs/a/b.json", "b/x/y"] {
            assert!(!ignore.matches(path), "{path}");
        }
        // Without a slash left in it, a pattern from the top is still one of the top.
        assert!(!ignore.matches("b/top.txt"));
    }

    #[test]
    fn a_pattern_that_cannot_be_read_is_named() {
        let wrong = Ignore::compile(["a", "[b", "{c"]).unwrap_err();
        assert_eq!(wrong.iter().map(|(i, _)| *i).collect::<Vec<_>>(), [1, 2]);
        assert!(wrong[0].1.contains("unclosed character class"), "{wrong:?}");
    }
}
