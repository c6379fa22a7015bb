//! The templates of a theme, ready to render: one engine for HTML, one for Markdown, which escapes
//! in another way.

use serde::Serialize;
use tera::{Context, Tera};

use super::escape;
use super::markdown;

/// A template that cannot be read or rendered.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct TemplateError(String);

impl From<tera::Error> for TemplateError {
    fn from(error: tera::Error) -> Self {
        let mut text = error.to_string();
        let mut source = std::error::Error::source(&error);
        while let Some(cause) = source {
            text.push_str(&format!(": {cause}"));
            source = cause.source();
        }
        Self(text)
    }
}

/// The default theme's templates, compiled in.
const DEFAULT: &[(&str, &str)] = &[
    (
        "base.html",
        include_str!("../../themes/default/templates/base.html"),
    ),
    (
        "index.html",
        include_str!("../../themes/default/templates/index.html"),
    ),
    (
        "run.html",
        include_str!("../../themes/default/templates/run.html"),
    ),
    (
        "prose.html",
        include_str!("../../themes/default/templates/prose.html"),
    ),
    (
        "kinds.html",
        include_str!("../../themes/default/templates/kinds.html"),
    ),
    (
        "404.html",
        include_str!("../../themes/default/templates/404.html"),
    ),
    (
        "redirect.html",
        include_str!("../../themes/default/templates/redirect.html"),
    ),
    (
        "index.md",
        include_str!("../../themes/default/templates/index.md"),
    ),
    (
        "prose.md",
        include_str!("../../themes/default/templates/prose.md"),
    ),
    (
        "kinds.md",
        include_str!("../../themes/default/templates/kinds.md"),
    ),
    (
        "run.md",
        include_str!("../../themes/default/templates/run.md"),
    ),
];

/// The default theme's static files, compiled in.
pub const DEFAULT_STATIC: &[(&str, &[u8])] = &[(
    "style.css",
    include_bytes!("../../themes/default/static/style.css"),
)];

/// The templates of a theme.
pub struct Templates {
    html: Tera,
    markdown: Tera,
}

impl Templates {
    /// The default theme.
    ///
    /// # Errors
    /// A template that cannot be parsed.
    pub fn default_theme() -> Result<Self, TemplateError> {
        let (markdown_files, html_files): (Vec<_>, Vec<_>) = DEFAULT
            .iter()
            .copied()
            .partition(|(name, _)| name.ends_with(".md"));
        let mut html = Tera::default();
        html.autoescape_on([".html"]);
        html.add_raw_templates(html_files)?;
        let mut engine = Tera::default();
        engine.set_escape_fn(escape::markdown_text);
        engine.autoescape_on([".md"]);
        markdown::register_filters(&mut engine);
        engine.add_raw_templates(markdown_files)?;
        Ok(Self {
            html,
            markdown: engine,
        })
    }

    /// Renders an HTML template.
    ///
    /// # Errors
    /// A template that uses what the view does not have.
    pub fn html(&self, template: &str, view: &impl Serialize) -> Result<String, TemplateError> {
        Ok(self
            .html
            .render(template, &Context::from_serialize(view)?)?)
    }

    /// Renders a Markdown template.
    ///
    /// # Errors
    /// A template that uses what the view does not have.
    pub fn markdown(&self, template: &str, view: &impl Serialize) -> Result<String, TemplateError> {
        let text = self
            .markdown
            .render(template, &Context::from_serialize(view)?)?;
        Ok(markdown::tidy(&text))
    }
}
