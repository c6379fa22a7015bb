//! The folder `content/` → runs, prose and files to copy. The only part that reads `content/`; it
//! knows nothing of pages.

pub mod alone;
pub mod comparison;
pub mod facts;
pub mod front_matter;
pub mod load;
pub mod one_run;
pub mod prose;
pub mod sidecar;
pub mod slug;
pub mod statics;
pub mod text;
pub mod title;
pub mod walk;

pub use alone::load_file;
pub use comparison::ComparisonFile;
pub use load::{Content, LoadError, LoadedRun, Steps, load, load_with};
pub use prose::ProseFile;
