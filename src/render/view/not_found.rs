//! The view of the page for addresses that do not exist.

use schemars::JsonSchema;
use serde::Serialize;

use super::PageView;
use crate::site::{Page, Site};

/// The page for addresses that do not exist.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotFoundView {
    /// What every page has; its links begin at the root of the host, since the page is shown at
    /// any address.
    pub page: PageView,
}

/// Makes the view of the page for addresses that do not exist.
pub fn not_found_view(site: &Site) -> NotFoundView {
    NotFoundView {
        page: PageView {
            markdown: None,
            ..PageView::new(site, Page::NotFound, "Page not found", String::new())
        },
    }
}
