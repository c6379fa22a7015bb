//! A theme: the templates that pages are made with, and the assets that pages ask for. A theme is
//! only a folder; the default one is compiled into the program. Knows files and layers, nothing of
//! views or of the template language beyond names.
//!
//! Three layers, each of which takes the place of the next file by file:
//!
//! ```text
//! ROOT/templates/, ROOT/static/                              the site's own
//! ROOT/themes/NAME/templates/, ROOT/themes/NAME/static/      the theme
//! themes/default, compiled in                                the default theme
//! ```

mod asset;
mod embedded;
mod folder;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use crate::diagnostic::{Code, Diagnostic, Place, nearest, sorted};

pub use asset::Asset;
pub(crate) use asset::digits;
use folder::FoundFile;

/// Name of the theme that is compiled in.
pub const DEFAULT: &str = "default";

/// Name of the folder that themes are in, below the site's root.
pub const FOLDER: &str = "themes";

/// Endings of templates: HTML and XML are escaped alike, Markdown in its own way.
pub const ENDINGS: &[&str] = &[".html", ".xml", ".md"];

/// The prefix by which a template names that of the theme, whatever the site has in its place.
pub const THEME_PREFIX: &str = "theme:";

/// The prefix by which a template names one of the default theme, whatever has its place.
pub const DEFAULT_PREFIX: &str = "default:";

/// Where a template is from; the first that has a file wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Layer {
    Site,
    Theme,
    Default,
}

impl Layer {
    fn prefix(self) -> &'static str {
        match self {
            Layer::Site => "",
            Layer::Theme => THEME_PREFIX,
            Layer::Default => DEFAULT_PREFIX,
        }
    }
}

/// A template of a theme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFile {
    /// The name that the template engine knows it by: `run.html`, `theme:run.html`,
    /// `default:run.html`.
    pub name: String,
    /// The file as the user knows it.
    pub shown: String,
    /// What stands in it.
    pub text: String,
}

/// A theme, read and layered.
#[derive(Clone, Debug, Default)]
pub struct Theme {
    /// Its templates, those of all layers that are of use.
    pub templates: Vec<TemplateFile>,
    /// Its assets by the name that templates ask for, as `style.css`.
    pub assets: BTreeMap<String, Asset>,
    /// Files of the site's `static/`, which are copied as they are and are no assets.
    pub copied: BTreeSet<String>,
    /// Files that are there in vain.
    pub warnings: Vec<Diagnostic>,
}

/// Why there is no theme.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    /// There is no folder of this name.
    #[error("there is no theme \"{name}\": {}", .help)]
    Missing {
        /// The name that was asked for.
        name: String,
        /// What there is, and what may have been meant.
        help: String,
    },
    /// What was given is no name of a folder.
    #[error("the theme \"{0}\" must be the name of a folder in themes/, without its path")]
    Name(String),
    /// A file that cannot be read.
    #[error(transparent)]
    Unreadable(#[from] std::io::Error),
    /// Files that are wrong.
    #[error("the theme has {} problems", .0.len())]
    Wrong(Vec<Diagnostic>),
}

/// Whether a theme may have this name: that of a folder, without a path.
pub fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\\', ':'])
}

impl Theme {
    /// The default theme as it was compiled in.
    pub fn builtin() -> Self {
        Self::layered(vec![(Layer::Default, embedded::templates())], &[])
    }

    /// The theme of a site, with the site's own templates and static files before it.
    ///
    /// # Errors
    /// A theme that is not there, and files that cannot be read or are no text.
    pub fn load(root: &Path, name: &str) -> Result<Self, ThemeError> {
        if !is_name(name) {
            return Err(ThemeError::Name(name.to_owned()));
        }
        let own = format!("{FOLDER}/{name}");
        let there = root.join(&own).is_dir();
        if !there && name != DEFAULT {
            return Err(missing(root, name));
        }
        let mut problems = Vec::new();
        let mut read = |folder: &str| folder::read(root, folder, &mut problems);
        let site = (read("templates")?, read("static")?);
        let theme = match there {
            true => (
                read(&format!("{own}/templates"))?,
                read(&format!("{own}/static"))?,
            ),
            false => Default::default(),
        };
        let mut layers = Vec::new();
        let mut warnings = Vec::new();
        for (layer, files) in [(Layer::Site, site.0), (Layer::Theme, theme.0)] {
            let mut templates = Vec::new();
            for file in files {
                if !ENDINGS.iter().any(|ending| file.path.ends_with(ending)) {
                    let message = "this is no template: its name ends in none of .html, .xml, .md";
                    warnings.push(
                        Diagnostic::new(Code::TemplateUnused, Place::file(&file.shown), message)
                            .help("rename it, or move it elsewhere"),
                    );
                    continue;
                }
                match crate::content::text::decode(&file.shown, &file.bytes) {
                    Ok(text) => templates.push((file.path, file.shown, text)),
                    Err(problem) => problems.push(problem),
                }
            }
            layers.push((layer, templates));
        }
        if !problems.is_empty() {
            return Err(ThemeError::Wrong(sorted(problems)));
        }
        layers.push((Layer::Default, embedded::templates()));
        let mut loaded = Self::layered(layers, &theme.1);
        loaded.take_places(site.1);
        loaded.warnings.extend(warnings);
        loaded.warnings = sorted(std::mem::take(&mut loaded.warnings));
        Ok(loaded)
    }

    /// The first template of a name, as pages and other templates get it.
    fn effective(&self, name: &str) -> Option<&TemplateFile> {
        [Layer::Site, Layer::Theme, Layer::Default]
            .iter()
            .find_map(|layer| {
                let name = format!("{}{name}", layer.prefix());
                self.templates.iter().find(|t| t.name == name)
            })
    }

    /// The template that the engine knows by this name, with or without prefix.
    pub fn template(&self, name: &str) -> Option<&TemplateFile> {
        let exact = self.templates.iter().find(|t| t.name == name);
        exact.or_else(|| self.effective(name))
    }

    fn layered(layers: Vec<(Layer, Vec<NamedText>)>, own: &[FoundFile]) -> Self {
        let mut theme = Self::default();
        let texts: Vec<String> = layers
            .iter()
            .flat_map(|(_, files)| files.iter().map(|(_, _, text)| text.clone()))
            .collect();
        let mut taken: BTreeSet<String> = BTreeSet::new();
        let known: BTreeSet<String> = embedded::templates()
            .into_iter()
            .map(|(path, _, _)| path)
            .collect();
        let mut in_use = Vec::new();
        for (layer, files) in layers {
            for (path, shown, text) in files {
                let name = format!("{}{path}", layer.prefix());
                let is_first = taken.insert(path.clone());
                // A template whose place is taken is there for its components, or where another
                // names it. One that extends another would have to fit a base that is not its own.
                let is_named = || texts.iter().any(|text| names(text, &name));
                if !is_first && extends(&text) && !is_named() {
                    continue;
                }
                if is_first || is_named() {
                    in_use.push(text.clone());
                }
                if layer != Layer::Default
                    && !known.contains(&path)
                    && !texts.iter().any(|text| names(text, &path))
                {
                    theme.warnings.push(unused(&path, &shown, &known));
                }
                theme.templates.push(TemplateFile { name, shown, text });
            }
        }
        // Where the theme has none, `theme:` names the default theme's.
        for (path, shown, text) in embedded::templates() {
            let name = format!("{THEME_PREFIX}{path}");
            if texts.iter().any(|text| names(text, &name))
                && !theme.templates.iter().any(|t| t.name == name)
            {
                in_use.push(text.clone());
                theme.templates.push(TemplateFile { name, shown, text });
            }
        }
        // Of the default theme's assets only those that a template asks for; a theme's own all.
        for (path, bytes) in embedded::assets() {
            if in_use.iter().any(|text| names(text, &path)) {
                theme.assets.insert(path.clone(), Asset::new(&path, bytes));
            }
        }
        for file in own {
            let asset = Asset::new(&file.path, file.bytes.clone());
            theme.assets.insert(file.path.clone(), asset);
        }
        theme
    }

    /// Files of the site's `static/` take the place of assets of the same name.
    fn take_places(&mut self, files: Vec<FoundFile>) {
        for file in files {
            if let Some(asset) = self.assets.get_mut(&file.path) {
                *asset = Asset::new(&file.path, file.bytes);
            } else {
                self.copied.insert(file.path);
            }
        }
    }
}

/// A template's path below `templates/`, the file as the user knows it, and its text.
type NamedText = (String, String, String);

/// Whether a template names another file, in quotes.
fn names(text: &str, file: &str) -> bool {
    text.contains(&format!("\"{file}\"")) || text.contains(&format!("'{file}'"))
}

/// Whether a template extends another, which it must say in its first tag.
fn extends(text: &str) -> bool {
    let first = text.split("{%").nth(1).unwrap_or_default();
    first
        .trim_start_matches('-')
        .trim_start()
        .starts_with("extends")
}

fn unused(path: &str, shown: &str, known: &BTreeSet<String>) -> Diagnostic {
    let help = match nearest(path, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean {near}?"),
        None => "docs/themes.md lists the templates of pages".to_owned(),
    };
    let message = "no page is made with this template, and no other template names it";
    Diagnostic::new(Code::TemplateUnused, Place::file(shown), message).help(help)
}

fn missing(root: &Path, name: &str) -> ThemeError {
    let mut there: BTreeSet<String> = BTreeSet::from([DEFAULT.to_owned()]);
    if let Ok(entries) = fs_err::read_dir(root.join(FOLDER)) {
        let folders = entries.flatten().filter(|entry| entry.path().is_dir());
        there.extend(folders.filter_map(|entry| entry.file_name().into_string().ok()));
    }
    let near = nearest(name, there.iter().map(String::as_str))
        .map(|near| format!("; did you mean \"{near}\"?"))
        .unwrap_or_default();
    let there: Vec<&str> = there.iter().map(String::as_str).collect();
    ThemeError::Missing {
        name: name.to_owned(),
        help: format!(
            "neither compiled in nor a folder {FOLDER}/{name}{near}\nhelp: there are: {}",
            there.join(", ")
        ),
    }
}
