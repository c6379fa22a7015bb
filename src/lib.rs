//! speedbook publishes LLM speed tests: files in `content/` become runs, runs become pages with
//! addresses, pages become bytes, and the bytes become the output folder.
//!
//! ```text
//! content/ ──import──▶ Run ──site──▶ pages with addresses ──render──▶ bytes ──output──▶ public/
//! ```
//!
//! Every step is a plain function from the left type to the right one; only the first and the last
//! touch the disk.

#![forbid(unsafe_code)]
#![cfg_attr(test, allow(clippy::string_slice))]

pub mod chart;
pub mod cli;
pub mod compare;
pub mod config;
pub mod content;
pub mod diagnostic;
pub mod highlight;
pub mod import;
mod json_schema;
pub mod launch;
pub mod markdown;
pub mod output;
pub mod redact;
pub mod render;
pub mod run;
pub mod site;
pub mod theme;
pub mod toml_keys;
pub mod toml_schema;
pub mod toml_table;
pub mod web_address;
