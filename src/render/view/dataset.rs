//! A run as a `Dataset` of schema.org, for search engines that list datasets.
//!
//! Properties: <https://schema.org/Dataset>, and what Google asks for:
//! <https://developers.google.com/search/docs/appearance/structured-data/dataset>.

use serde_json::{Map, Value, json};

use super::JsonLd;
use crate::render::links::absolute;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Metric, Phase};
use crate::site::{RunPage, Site};

/// The JSON-LD of a run's page, safe within a script element: no `<` stands in it. Addresses are
/// absolute, so they are left out where the site's is not known.
pub fn dataset(site: &Site, page: &RunPage, description: &str) -> JsonLd {
    let run = &page.run;
    let facts = &site.facts;
    let mut data = Map::new();
    let mut put = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            data.insert(key.to_owned(), value);
        }
    };
    let text = |text: &str| (!text.is_empty()).then(|| json!(text));
    put("@context", Some(json!("https://schema.org")));
    put("@type", Some(json!("Dataset")));
    put("name", text(run.title()));
    put("description", text(description));
    let base = facts.base_url.as_ref();
    put(
        "url",
        base.map(|base| json!(absolute(base, &page.address, ""))),
    );
    let person = |name: &str| json!({"@type": "Person", "name": name});
    put("creator", run.facts.text(Fact::Author).map(person));
    let measured = run.facts.text(Fact::MeasuredAt);
    let measured = measured.and_then(|at| MeasuredAt::parse(at).ok());
    put("dateCreated", measured.map(|at| json!(at.to_rfc3339())));
    put("license", text(&facts.license));
    put(
        "isBasedOn",
        run.facts.text(Fact::SourceUrl).map(|url| json!(url)),
    );
    put("keywords", (!run.tags.is_empty()).then(|| json!(run.tags)));
    put(
        "measurementTechnique",
        run.facts.text(Fact::Tool).map(|tool| json!(tool)),
    );
    let variables: Vec<&str> = Metric::ALL
        .iter()
        .filter(|metric| {
            let mut phases = Phase::ALL.iter();
            phases.any(|phase| run.phase(*phase).iter().any(|m| m.get(**metric).is_some()))
        })
        .map(|metric| metric.info().label)
        .collect();
    put(
        "variableMeasured",
        (!variables.is_empty()).then(|| json!(variables)),
    );
    let files = [
        (facts.outputs.json, "application/json", "run.json"),
        (facts.outputs.csv, "text/csv", "measurements.csv"),
    ];
    let files: Vec<Value> = base
        .into_iter()
        .flat_map(|base| files.iter().map(move |file| (base, file)))
        .filter(|(_, (on, _, _))| *on)
        .map(|(base, (_, format, file))| {
            let at = absolute(base, &page.address, file);
            json!({"@type": "DataDownload", "encodingFormat": format, "contentUrl": at})
        })
        .collect();
    put("distribution", (!files.is_empty()).then(|| json!(files)));
    // Escapes of JSON: an end of the script element cannot stand in it.
    JsonLd::new(Value::Object(data).to_string().replace('<', "\\u003c"))
}
