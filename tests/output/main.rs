//! The output folder: what is refused, what stays, and that a build that is stopped anywhere
//! leaves the old site or the new one.

// Clippy takes only functions marked `#[test]` for tests, not what they share.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used
)]

mod fixture;
mod killed;
mod refused;
mod replaced;
mod stopped;
mod unwritable;
