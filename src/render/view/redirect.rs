//! The view of a page that leads from an old address to the new one.

use schemars::JsonSchema;
use serde::Serialize;

use super::page_title;
use crate::site::address::percent_encode;
use crate::site::{Redirect, Site};

/// A page that leads to another.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct RedirectView {
    /// The site's name.
    pub site_title: String,
    /// The title of the page that it leads to.
    pub title: String,
    /// The link to it.
    pub link: String,
    /// The whole address where it is known, else the link.
    pub canonical: String,
}

/// Makes the view of a redirect page.
pub fn redirect_view(site: &Site, redirect: &Redirect) -> RedirectView {
    let target = site.address(redirect.target);
    let link = site.facts.links_from(&redirect.folder).page(&target);
    let canonical = match &site.facts.base_url {
        Some(base) => {
            let path = target.file("");
            format!("{}{}", base.as_str(), percent_encode(&path))
        }
        None => link.clone(),
    };
    RedirectView {
        site_title: site.facts.title.clone(),
        title: page_title(site, redirect.target),
        link,
        canonical,
    }
}
