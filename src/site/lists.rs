//! The pages of older runs, `/page/N/`. They are counted from the oldest run, so that a page keeps
//! its runs whatever is added later: page 1 has the 100 oldest for good.

use std::ops::Range;

use super::{Address, Page, Site};

/// How many runs stand on the front page, and on each page of older ones.
pub const PER_PAGE: usize = 100;

impl Site {
    /// How many pages of older runs there are: as many as hold what the front page does not. Each
    /// of them is full.
    pub fn list_pages(&self) -> usize {
        pages(self.runs.len())
    }

    /// The runs on the front page, as places in [`Site::runs`].
    pub fn newest(&self) -> Range<usize> {
        0..self.runs.len().min(PER_PAGE)
    }

    /// The runs on a page of older ones, as places in [`Site::runs`]; none on one that is not there.
    pub fn listed(&self, page: usize) -> Range<usize> {
        if page == 0 || page > self.list_pages() {
            return 0..0;
        }
        let end = self.runs.len() - (page - 1) * PER_PAGE;
        end.saturating_sub(PER_PAGE)..end
    }

    /// The page with newer runs than this one.
    pub fn newer(&self, page: usize) -> Page {
        match page + 1 {
            next if next <= self.list_pages() => Page::List(next),
            _ => Page::Front,
        }
    }
}

fn pages(runs: usize) -> usize {
    runs.saturating_sub(PER_PAGE).div_ceil(PER_PAGE)
}

/// The page of this number.
pub(super) fn address(page: usize) -> Address {
    Address::folder(&format!("page/{page}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hold_what_the_front_page_does_not() {
        let counts = [0, 1, 100, 101, 200, 201, 5_000].map(|runs| (runs, pages(runs)));
        assert_eq!(
            counts,
            [
                (0, 0),
                (1, 0),
                (100, 0),
                (101, 1),
                (200, 1),
                (201, 2),
                (5_000, 49)
            ]
        );
    }
}
