//! What each template gets, as a list: made from the views themselves, so that the documentation
//! of themes cannot say anything else.

use std::collections::BTreeMap;

use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::Value;

use super::compare::ComparisonView;
use super::compare::list::ComparisonsView;
use super::index::IndexView;
use super::kinds::KindsView;
use super::list::ListView;
use super::not_found::NotFoundView;
use super::prose::ProseView;
use super::redirect::RedirectView;
use super::run::RunView;

/// A field of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Its name.
    pub name: String,
    /// What it holds, in words: "text", "list of `Cell`".
    pub value: String,
    /// What it is for.
    pub description: String,
}

/// A template of a page, with what it gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFields {
    /// The page's templates: that for HTML, then that for Markdown.
    pub templates: &'static [&'static str],
    /// What the page is.
    pub page: String,
    /// The names that stand in the template.
    pub fields: Vec<Field>,
}

/// A value with fields of its own, that stands in a field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueFields {
    /// Its name in [`Field::value`].
    pub name: String,
    /// What it is.
    pub description: String,
    /// Its fields.
    pub fields: Vec<Field>,
}

/// Everything that templates get.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Catalogue {
    /// The templates of pages.
    pub templates: Vec<TemplateFields>,
    /// The values in their fields, by name.
    pub values: Vec<ValueFields>,
}

/// Lists what all templates of pages get. A new kind of page is one more line here.
pub fn catalogue() -> Catalogue {
    let mut list = List {
        generator: SchemaSettings::draft2020_12()
            .for_serialize()
            .into_generator(),
        templates: Vec::new(),
    };
    list.add::<IndexView>(&["index.html", "index.md"]);
    list.add::<ListView>(&["list.html", "list.md"]);
    list.add::<RunView>(&["run.html", "run.md"]);
    list.add::<ProseView>(&["prose.html", "prose.md"]);
    list.add::<KindsView>(&["kinds.html", "kinds.md"]);
    list.add::<ComparisonsView>(&["comparisons.html", "comparisons.md"]);
    list.add::<ComparisonView>(&["compare.html", "compare.md"]);
    list.add::<NotFoundView>(&["404.html"]);
    list.add::<RedirectView>(&["redirect.html"]);
    list.finish()
}

struct List {
    generator: SchemaGenerator,
    templates: Vec<TemplateFields>,
}

impl List {
    fn add<V: JsonSchema>(&mut self, templates: &'static [&'static str]) {
        let schema = V::json_schema(&mut self.generator);
        self.templates.push(TemplateFields {
            templates,
            page: description(schema.as_value()),
            fields: fields(schema.as_value()),
        });
    }

    fn finish(mut self) -> Catalogue {
        let values: BTreeMap<String, Value> =
            self.generator.take_definitions(true).into_iter().collect();
        Catalogue {
            templates: self.templates,
            values: values
                .into_iter()
                .map(|(name, schema)| ValueFields {
                    name,
                    description: description(&schema),
                    fields: fields(&schema),
                })
                .collect(),
        }
    }
}

fn fields(schema: &Value) -> Vec<Field> {
    let properties = schema.get("properties").and_then(Value::as_object);
    properties
        .into_iter()
        .flatten()
        .map(|(name, schema)| Field {
            name: name.clone(),
            value: value(schema),
            description: description(schema),
        })
        .collect()
}

fn description(schema: &Value) -> String {
    let text = schema.get("description").and_then(Value::as_str);
    text.unwrap_or_default().replace('\n', " ")
}

/// What a schema allows, in words.
fn value(schema: &Value) -> String {
    if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
        return format!("`{}`", name.rsplit('/').next().unwrap_or(name));
    }
    if let Some(either) = schema.get("anyOf").and_then(Value::as_array) {
        let words: Vec<String> = either.iter().map(value).collect();
        return words.join(" or ");
    }
    match schema.get("type") {
        Some(Value::String(kind)) => kind_in_words(kind, schema),
        Some(Value::Array(kinds)) => {
            let words: Vec<String> = kinds
                .iter()
                .filter_map(Value::as_str)
                .map(|kind| kind_in_words(kind, schema))
                .collect();
            words.join(" or ")
        }
        _ => "any value".to_owned(),
    }
}

fn kind_in_words(kind: &str, schema: &Value) -> String {
    match kind {
        "string" => "text".to_owned(),
        "boolean" => "true or false".to_owned(),
        "integer" => "a whole number".to_owned(),
        "number" => "a number".to_owned(),
        "null" => "nothing".to_owned(),
        "array" => {
            let items = schema
                .get("items")
                .map_or_else(|| "any value".to_owned(), value);
            match items.strip_prefix("list of ") {
                Some(inner) => format!("list of lists of {inner}"),
                None if items == "text" => "list of texts".to_owned(),
                None => format!("list of {items}"),
            }
        }
        "object" => match schema.get("additionalProperties") {
            Some(inner) if inner.is_object() => format!("{} by name", value(inner)),
            _ => "a map".to_owned(),
        },
        other => other.to_owned(),
    }
}
