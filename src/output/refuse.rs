//! May this folder be replaced? Judged before anything is written, from where it is, what it is,
//! and what is in it.

use std::ffi::OsString;
use std::io;
use std::path::{Component, Path, PathBuf};

use fs_err as fs;

use super::OutputPlace;
use super::error::{OutputError, Refusal, Why};
use super::mount::is_mount_point;
use super::old_site;

/// What an empty repository has: a folder with nothing but these is as good as an empty one, since
/// they stay.
const STAYS_ANYWAY: [&str; 4] = [".git", ".gitignore", ".gitattributes", "CNAME"];

/// Folders of a site, beside `content`, whose files go into the output.
const SOURCES: [&str; 3] = ["static", "templates", "themes"];

/// An output folder that may be replaced.
#[derive(Debug, Clone)]
pub(super) struct Ground {
    /// As the user wrote it, for messages.
    pub given: PathBuf,
    /// Its real path; no link is left in it.
    pub output: PathBuf,
    /// The real folder that it stands in; may be missing.
    pub parent: PathBuf,
    /// Whether it is there.
    pub exists: bool,
}

/// Judges an output folder. `home` is the user's home folder, where known.
pub(super) fn judge(place: &OutputPlace, home: Option<&Path>) -> Result<Ground, OutputError> {
    let refused = |why| {
        OutputError::from(Refusal {
            output: place.output.clone(),
            why,
        })
    };
    let named = named_place(&place.output)?;
    let metadata = match fs::symlink_metadata(&named) {
        Ok(metadata) => Some(metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    if let Some(metadata) = &metadata {
        if metadata.is_symlink() {
            let to = fs::canonicalize(&named).or_else(|_| fs::read_link(&named))?;
            return Err(refused(Why::Link(to)));
        }
        if !metadata.is_dir() {
            return Err(refused(Why::NoFolder));
        }
    }
    // On a file system that ignores case, the real name may be spelled otherwise.
    let output = if metadata.is_some() {
        fs::canonicalize(&named)?
    } else {
        named
    };

    if let Some(why) = against_place(&output, place, home)? {
        return Err(refused(why));
    }
    let Some(parent) = output.parent() else {
        return Err(refused(Why::AboveRoot));
    };
    if metadata.is_some() {
        if is_mount_point(&output)? {
            return Err(refused(Why::Mount));
        }
        if let Some(name) = foreign_entry(&output)? {
            return Err(refused(Why::Foreign(name)));
        }
    }
    Ok(Ground {
        given: place.output.clone(),
        parent: parent.to_owned(),
        exists: metadata.is_some(),
        output,
    })
}

/// What speaks against this place, whatever is there.
fn against_place(
    output: &Path,
    place: &OutputPlace,
    home: Option<&Path>,
) -> Result<Option<Why>, OutputError> {
    let root = real(&place.root)?;
    let content = real(&place.content)?;
    if output == root {
        return Ok(Some(Why::Root));
    }
    if output == content {
        return Ok(Some(Why::Content));
    }
    if root.starts_with(output) {
        return Ok(Some(Why::AboveRoot));
    }
    if content.starts_with(output) {
        return Ok(Some(Why::AboveContent));
    }
    if output.starts_with(&content) {
        return Ok(Some(Why::InSource(place.content.clone())));
    }
    for name in SOURCES {
        let source = place.root.join(name);
        if output.starts_with(real(&source)?) {
            return Ok(Some(Why::InSource(source)));
        }
    }
    if let Some(home) = home.filter(|home| !home.as_os_str().is_empty()) {
        let home = real(home)?;
        if output == home {
            return Ok(Some(Why::Home));
        }
        if home.starts_with(output) {
            return Ok(Some(Why::AboveHome));
        }
    }
    Ok(None)
}

/// The first entry, by name, that shows that a folder is somebody else's.
fn foreign_entry(output: &Path) -> Result<Option<String>, OutputError> {
    if old_site::has_marker(output)? {
        return Ok(None);
    }
    let mut names: Vec<OsString> = fs::read_dir(output)?
        .map(|entry| entry.map(|e| e.file_name()))
        .collect::<io::Result<_>>()?;
    names.retain(|name| !STAYS_ANYWAY.iter().any(|stays| name == stays));
    names.sort();
    Ok(names
        .first()
        .map(|name| name.to_string_lossy().into_owned()))
}

/// The place that a path names: links on the way are followed, one at the very end is not.
fn named_place(path: &Path) -> io::Result<PathBuf> {
    // `components` also drops a `/` at the end, which would follow the link.
    let path: PathBuf = std::path::absolute(path)?.components().collect();
    match (path.parent(), path.components().next_back()) {
        (Some(parent), Some(Component::Normal(name))) => Ok(real(parent)?.join(name)),
        _ => real(&path),
    }
}

/// The real path, of which the last part need not exist.
fn real(path: &Path) -> io::Result<PathBuf> {
    let path = std::path::absolute(path)?;
    let mut missing: Vec<Component<'_>> = Vec::new();
    let mut known = path.components();
    let mut real = loop {
        let folder = known.as_path();
        match fs::canonicalize(folder) {
            Ok(real) => break real,
            Err(error) if error.kind() == io::ErrorKind::NotFound => match known.next_back() {
                Some(last) => missing.push(last),
                None => return Err(error),
            },
            Err(error) => return Err(error),
        }
    };
    // What does not exist is no link, so that `..` can be taken by the letter.
    for component in missing.into_iter().rev() {
        match component {
            Component::ParentDir => {
                real.pop();
            }
            Component::Normal(name) => real.push(name),
            _ => {}
        }
    }
    Ok(real)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A site in a temporary folder, and the verdict on one output folder.
    struct Site(tempfile::TempDir);

    impl Site {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            for folder in [
                "home/site/content/runs",
                "home/site/static",
                "home/site/themes",
            ] {
                fs::create_dir_all(dir.path().join(folder)).unwrap();
            }
            Self(dir)
        }

        fn path(&self, path: &str) -> PathBuf {
            self.0.path().join("home/site").join(path)
        }

        fn why(&self, output: &str) -> Option<Why> {
            let place = OutputPlace {
                output: self.path(output),
                root: self.path(""),
                content: self.path("content"),
            };
            match judge(&place, Some(&self.0.path().join("home"))) {
                Ok(_) => None,
                Err(OutputError::Refused(refusal)) => Some(refusal.why),
                Err(error) => panic!("{error}"),
            }
        }
    }

    #[test]
    fn a_missing_or_an_empty_folder_is_fine() {
        let site = Site::new();
        fs::create_dir(site.path("empty")).unwrap();
        for output in [
            "public",
            "public/",
            "empty",
            "a/b/c",
            "../elsewhere",
            "content/../public",
        ] {
            assert_eq!(site.why(output), None, "{output}");
        }
    }

    #[test]
    fn places_of_the_site_are_refused_however_they_are_written() {
        let site = Site::new();
        for (output, why) in [
            ("", Why::Root),
            (".", Why::Root),
            ("content/..", Why::Root),
            ("missing/..", Why::Root),
            ("content", Why::Content),
            ("./content/", Why::Content),
            ("content/runs/../../content", Why::Content),
            ("..", Why::Home),
            ("../..", Why::AboveRoot),
            ("/", Why::AboveRoot),
            ("content/public", Why::InSource(site.path("content"))),
            ("content/a/b", Why::InSource(site.path("content"))),
            ("static", Why::InSource(site.path("static"))),
            ("static/public", Why::InSource(site.path("static"))),
            ("themes/mine/static/x", Why::InSource(site.path("themes"))),
            ("templates", Why::InSource(site.path("templates"))),
        ] {
            let found = site.why(output);
            // The home folder is also above the site.
            let found = if output == ".." && found == Some(Why::AboveRoot) {
                Some(Why::Home)
            } else {
                found
            };
            assert_eq!(found, Some(why), "{output:?}");
        }
    }

    #[test]
    fn the_home_folder_and_those_above_it_are_refused_where_the_site_is_elsewhere() {
        let dir = tempfile::tempdir().unwrap();
        let (home, site) = (dir.path().join("people/me"), dir.path().join("site"));
        fs::create_dir_all(&home).unwrap();
        let why = |output: PathBuf| {
            let place = OutputPlace {
                output,
                root: site.clone(),
                content: site.join("content"),
            };
            judge(&place, Some(&home)).map_err(|e| e.to_string())
        };
        assert!(
            why(home.clone())
                .unwrap_err()
                .contains("it is your home folder")
        );
        assert!(
            why(dir.path().join("people"))
                .unwrap_err()
                .contains("your home folder is in it")
        );
        assert!(why(home.join("public")).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn a_link_on_the_way_is_followed_and_one_at_the_end_refused() {
        let site = Site::new();
        std::os::unix::fs::symlink(site.path("content"), site.path("short")).unwrap();
        fs::create_dir(site.path("real")).unwrap();
        std::os::unix::fs::symlink("real", site.path("link")).unwrap();
        std::os::unix::fs::symlink("nowhere", site.path("dangling")).unwrap();
        let real = fs::canonicalize(site.path("real")).unwrap();
        assert_eq!(
            site.why("short/public"),
            Some(Why::InSource(site.path("content")))
        );
        assert_eq!(site.why("link"), Some(Why::Link(real.clone())));
        assert_eq!(site.why("link/"), Some(Why::Link(real)));
        assert_eq!(site.why("dangling"), Some(Why::Link("nowhere".into())));
        assert_eq!(site.why("link/public"), None);
    }

    #[test]
    fn what_others_made_is_refused_but_an_empty_repository_is_not() {
        let site = Site::new();
        fs::create_dir_all(site.path("public/.git")).unwrap();
        fs::write(site.path("public/CNAME"), "a.example").unwrap();
        assert_eq!(site.why("public"), None);
        fs::write(site.path("public/notes.txt"), "").unwrap();
        assert_eq!(
            site.why("public"),
            Some(Why::Foreign("notes.txt".to_owned()))
        );
        fs::write(site.path("public/.speedbook"), "somebody else's").unwrap();
        assert!(matches!(site.why("public"), Some(Why::Foreign(_))));
        fs::write(site.path("public/.speedbook"), old_site::marker_bytes([])).unwrap();
        assert_eq!(site.why("public"), None);
        fs::write(site.path("file"), "").unwrap();
        assert_eq!(site.why("file"), Some(Why::NoFolder));
    }
}
