//! Pictures of figures: scales, ticks, lines and bars as SVG text. Knows no run and no page: it is
//! handed numbers, names and words, so one run and several on one scale are drawn alike.
//!
//! A module of its own, since no chart crate gives what the pages need: colours that the theme's
//! variables decide (light and dark from one picture), a class and `data-` attributes on each
//! point, a title and a description, no script, and the same bytes on every machine. Looked at, in
//! source, were:
//!
//! - `plotters` 0.3 with `plotters-svg`: writes `line`, `polyline`, `circle` and `text` with the
//!   colour and the font in attributes of each; no class, no `data-`, no title, no group.
//! - `charming` 0.6: hands a description to ECharts, so it needs a script on the page or a
//!   JavaScript engine in the program.
//! - `poloto` 19: is styled by classes, as wished, but has linear scales only, one class a series,
//!   and draws all points of a series as one path, so that none can be named.
//! - `kuva` 0.6: has logarithmic axes and takes CSS colours, but its points have no names of their
//!   own; what reacts to the pointer is a script inside the picture, which the pages' policy
//!   forbids; 64 kinds of plots for the two that are needed.
//! - `charts-rs` 2.3: has logarithmic axes, but colours are numbers (a theme is one set of them,
//!   not two), and texts are set by measuring an embedded font that the page does not use.
//!
//! What is left of a chart when axes, colours and texts are the page's own is small, and is here:
//! [`scale`] (values to places), [`ticks`], [`frontier`], [`labels`] (what may stand where),
//! [`marker`], [`plot`] and [`bars`] (pictures), [`svg`] (elements and escaping).

pub mod bars;
pub mod frontier;
pub mod labels;
pub mod marker;
pub mod plot;
pub mod scale;
pub mod svg;
pub mod ticks;
