//! The templates of a theme, ready to render: one engine for HTML, one for Markdown, which escapes
//! in another way.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use serde::Serialize;
use tera::{Context, Error, Kwargs, State, Tera, Value};

use super::escape;
use super::markdown;
use super::template_error::{self, TemplateError};
use crate::site::address::percent_encode;
use crate::theme::{DEFAULT_PREFIX, THEME_PREFIX, TemplateFile, Theme};

/// The templates of a theme.
pub struct Templates {
    theme: Arc<Theme>,
    html: Tera,
    markdown: Tera,
}

impl Templates {
    /// The default theme, as it was compiled in.
    ///
    /// # Errors
    /// A template that cannot be parsed.
    pub fn default_theme() -> Result<Self, TemplateError> {
        Self::new(Theme::builtin())
    }

    /// The templates of a theme.
    ///
    /// # Errors
    /// Everything that is wrong with their syntax, and with the names that they use.
    pub fn new(theme: Theme) -> Result<Self, TemplateError> {
        let theme = Arc::new(theme);
        let (markdown_files, html_files): (Vec<_>, Vec<_>) = theme
            .templates
            .iter()
            .partition(|file| file.name.ends_with(".md"));
        let html = engine(&theme, &html_files, || {
            let mut engine = Tera::default();
            engine.autoescape_on([".html", ".xml"]);
            engine
        });
        let markdown = engine(&theme, &markdown_files, || {
            let mut engine = Tera::default();
            engine.set_escape_fn(escape::markdown_text);
            engine.autoescape_on([".md"]);
            markdown::register_filters(&mut engine);
            engine
        });
        match (html, markdown) {
            (Ok(html), Ok(markdown)) => Ok(Self {
                html,
                markdown,
                theme,
            }),
            (html, markdown) => Err(TemplateError::all(
                [html.err(), markdown.err()].into_iter().flatten(),
            )),
        }
    }

    /// The theme that they are from.
    pub fn theme(&self) -> &Theme {
        &self.theme
    }

    /// Makes a view ready to be rendered in all its forms.
    pub fn ready<'a, V: Serialize>(&'a self, view: &'a V) -> Ready<'a, V> {
        Ready {
            templates: self,
            view,
            context: Context::from_serialize(view),
        }
    }
}

/// A view as the engine's own values: made once, for HTML and Markdown alike.
pub struct Ready<'a, V> {
    templates: &'a Templates,
    view: &'a V,
    context: tera::TeraResult<Context>,
}

impl<V: Serialize> Ready<'_, V> {
    /// Renders a template in the form that its ending names.
    ///
    /// # Errors
    /// A template that uses what the view does not have.
    pub fn render(&self, template: &str) -> Result<String, TemplateError> {
        let is_markdown = template.ends_with(".md");
        let engine = if is_markdown {
            &self.templates.markdown
        } else {
            &self.templates.html
        };
        let rendered = match &self.context {
            Ok(context) => engine.render(template, context),
            Err(error) => return Err(self.problem(template, error)),
        };
        match rendered {
            Ok(text) if is_markdown => Ok(markdown::tidy(&text)),
            Ok(text) => Ok(text),
            Err(error) => Err(self.problem(template, &error)),
        }
    }

    fn problem(&self, template: &str, error: &Error) -> TemplateError {
        let view = serde_json::to_value(self.view).unwrap_or_default();
        template_error::rendering(&self.templates.theme, template, error, &view)
    }
}

/// An engine with these templates, or all that is wrong with them.
fn engine(
    theme: &Arc<Theme>,
    files: &[&TemplateFile],
    plain: impl Fn() -> Tera,
) -> Result<Tera, TemplateError> {
    let mut engine = plain();
    register_functions(&mut engine, theme);
    let texts = || {
        files
            .iter()
            .map(|file| (file.name.as_str(), file.text.as_str()))
    };
    let added = engine
        .set_fallback_prefixes([THEME_PREFIX, DEFAULT_PREFIX])
        .and_then(|()| engine.add_raw_templates(texts()));
    let Err(error) = added else {
        return Ok(engine);
    };
    // The engine stops at the first file that it cannot read: each is tried alone.
    let alone: Vec<TemplateError> = texts()
        .filter_map(|text| match plain().add_raw_templates([text]) {
            Err(error) if matches!(error.kind(), tera::ErrorKind::SyntaxError(_)) => {
                Some(template_error::parsing(theme, &error))
            }
            _ => None,
        })
        .collect();
    Err(if alone.is_empty() {
        template_error::parsing(theme, &error)
    } else {
        TemplateError::all(alone)
    })
}

/// Registers `asset(name="style.css")`: the relative link from the page to an asset.
fn register_functions(engine: &mut Tera, theme: &Theme) {
    let paths: BTreeMap<String, String> = theme
        .assets
        .iter()
        .map(|(name, asset)| (name.clone(), percent_encode(&asset.path)))
        .collect();
    let copied: BTreeSet<String> = theme.copied.clone();
    engine.register_function("asset", move |kwargs: Kwargs, state: &State| {
        let name: String = kwargs.must_get("name")?;
        let Some(path) = paths.get(&name) else {
            if copied.contains(&name) {
                return Err(Error::message(format!(
                    "`{name}` is no asset of the theme: static/{name} is copied as it is, link it as {{{{ page.root }}}}{name}"
                )));
            }
            let known: Vec<&str> = paths.keys().map(String::as_str).collect();
            return Err(Error::message(format!(
                "there is no asset `{name}`. Available assets: {}",
                known.join(", ")
            )));
        };
        let page = state.get::<Value>("page")?;
        let root = page.as_ref().and_then(|page| page.get_from_path("root"));
        match root.and_then(Value::as_str) {
            Some(root) => Ok(format!("{root}{path}")),
            None => Err(Error::message(
                "asset() needs the page; hand it to the component: page={page}",
            )),
        }
    });
}
