//! What the pages need to know of the whole site.

use std::collections::BTreeMap;

use crate::config::BaseUrl;
use crate::run::audit::Noise;
use crate::run::names::Names;
use crate::run::serving::Budgets;

use super::{Address, Links};

/// What the pages need to know of the whole site.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SiteFacts {
    /// Its name.
    pub title: String,
    /// A sentence or two about it, for the front page.
    pub description: String,
    /// Where it will be published, for the places where a standard asks for absolute addresses.
    pub base_url: Option<BaseUrl>,
    /// Who publishes it.
    pub author: String,
    /// Under which license.
    pub license: String,
    /// Where its sources are.
    pub repository: String,
    /// Whether links name `index.html`, so that the site opens from a disk.
    pub portable: bool,
    /// Noise bands of its comparisons and audits.
    pub noise: Noise,
    /// Which outputs are wanted.
    pub outputs: Outputs,
    /// Limits that a reader may need to be kept.
    pub budgets: Budgets,
    /// US dollars a GPU hour, by the GPU's name.
    pub prices: BTreeMap<String, f64>,
    /// To how many of the runs most like it each run is compared.
    pub nearest: usize,
    /// Other spellings of models and GPUs, each with the name that is meant.
    pub names: Names,
}

impl SiteFacts {
    /// How a page in this folder names others.
    pub fn links_from(&self, address: &Address) -> Links {
        Links::new(address.to_root(), self.portable)
    }

    /// How a page names others that may be shown at any address: from the root of the host.
    pub fn links_from_anywhere(&self) -> Links {
        Links::new(self.base_path().to_owned(), self.portable)
    }

    /// The path of the site on its host, from slash to slash.
    pub fn base_path(&self) -> &str {
        self.base_url.as_ref().map_or("/", BaseUrl::path)
    }
}

/// Which outputs a run page has beside its HTML, and in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outputs {
    /// `index.md`
    pub markdown: bool,
    /// `run.json`
    pub json: bool,
    /// `measurements.csv`
    pub csv: bool,
    /// Pages that compare runs.
    pub comparisons: bool,
    /// Charts on its page.
    pub charts: bool,
}

impl Default for Outputs {
    fn default() -> Self {
        Self {
            markdown: true,
            json: true,
            csv: true,
            comparisons: true,
            charts: true,
        }
    }
}
