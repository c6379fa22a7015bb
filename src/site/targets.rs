//! Where the links of prose and notes lead: content files by their paths, pages and files of the
//! site by their addresses.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::nearest;
use crate::markdown::{Outline, Target, has_scheme};

use super::{Page, Site};

/// A text of the author, and where it was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Text {
    /// Its headings.
    pub outline: Outline,
    /// Its file, by the path below `content/`: links in it are seen from there.
    pub source: String,
}

/// What a link leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Another host, or mail.
    Elsewhere,
    /// A page of the site.
    Page {
        /// Which.
        page: Page,
        /// From `?` on; empty without one.
        query: String,
        /// The anchor on the page.
        id: Option<String>,
        /// The anchor in the page's Markdown twin, where it is the same part that is meant.
        slug: Option<String>,
    },
    /// A file of the site, by its path below the output folder.
    File(String),
    /// Nothing.
    Dead(Dead),
}

/// Why a link leads nowhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dead {
    /// There is nothing; the name that is nearest to what was written.
    Nothing(Option<String>),
    /// It is a draft.
    Draft,
    /// The page does not have that part; the name that is nearest to what was written.
    Anchor(Option<String>),
}

/// What can be linked to.
#[derive(Clone, Debug, Default)]
pub(super) struct Targets {
    /// By the path below `content/`.
    pub sources: BTreeMap<String, Place>,
    /// By the path on the site, without the slash at its beginning.
    pub paths: BTreeMap<String, Place>,
    /// Content files of which no page is made.
    pub drafts: BTreeSet<String>,
}

/// A place on the site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// A page.
    Page(Page),
    /// A file, by its path below the output folder.
    File(String),
}

impl Targets {
    fn find(&self, target: &Target, folder: &str) -> Result<&Place, Dead> {
        let Some(path) = target.from(folder) else {
            return Err(Dead::Nothing(None));
        };
        let absolute = target.path.starts_with('/');
        if let Some(place) = self.sources.get(&path) {
            return Ok(place);
        }
        if self.drafts.contains(&path) {
            return Err(Dead::Draft);
        }
        if absolute && let Some(place) = self.paths.get(&path) {
            return Ok(place);
        }
        let known = if absolute {
            self.paths.keys()
        } else {
            self.sources.keys()
        };
        let near = nearest(&path, known.map(String::as_str));
        Err(Dead::Nothing(near.map(|near| match absolute {
            true => format!("/{near}"),
            false => way(folder, near),
        })))
    }
}

/// The way from a folder to a file, both below the same root.
fn way(folder: &str, file: &str) -> String {
    let mut from: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    let mut to: Vec<&str> = file.split('/').collect();
    while to.len() > 1 && from.first().is_some_and(|part| to.first() == Some(part)) {
        from.remove(0);
        to.remove(0);
    }
    format!("{}{}", "../".repeat(from.len()), to.join("/"))
}

impl Site {
    /// Where a link in a text leads, which stands on `own`.
    pub fn goal(&self, own: Page, text: &Text, target: &str) -> Goal {
        if has_scheme(target) {
            return Goal::Elsewhere;
        }
        let target = Target::parse(target);
        let folder = text
            .source
            .rsplit_once('/')
            .map_or("", |(folder, _)| folder);
        let place = match target.path.as_str() {
            "" => Ok(&Place::Page(own)),
            _ => self.targets.find(&target, folder),
        };
        let page = match place {
            Err(dead) => return Goal::Dead(dead),
            Ok(Place::File(path)) => return Goal::File(path.clone()),
            Ok(Place::Page(page)) => *page,
        };
        let (mut id, mut slug) = (None, None);
        if let Some(fragment) = target.fragment {
            let outline = self.text(page).map(|text| &text.outline);
            match outline.and_then(|outline| outline.find(&fragment)) {
                Some(heading) => {
                    id = Some(heading.id.clone());
                    slug = Some(heading.slug.clone());
                }
                // All anchors of these pages are known.
                None if matches!(page, Page::Prose(_)) => {
                    let slugs = outline.into_iter().flat_map(|o| &o.headings);
                    let near = nearest(&fragment, slugs.map(|h| h.slug.as_str()));
                    return Goal::Dead(Dead::Anchor(near.map(str::to_owned)));
                }
                None => id = Some(fragment),
            }
        }
        Goal::Page {
            page,
            query: target.query,
            id,
            slug,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_leads_from_folder_to_file() {
        assert_eq!(way("", "a.md"), "a.md");
        assert_eq!(way("runs/x", "runs/y/a.md"), "../y/a.md");
        assert_eq!(way("a", "a/b.md"), "b.md");
        assert_eq!(way("a/b", "c.md"), "../../c.md");
    }
}
