//! The blocks of facts on a run's page, and what is missing in them.

use schemars::JsonSchema;
use serde::Serialize;

use crate::run::fact::Kind;
use crate::run::figure::format_number;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Facts};

/// A block of facts.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactBlock {
    /// Its heading.
    pub heading: &'static str,
    /// Its rows.
    pub rows: Vec<FactRow>,
}

/// A fact.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct FactRow {
    /// Its name.
    pub label: &'static str,
    /// Its value in words.
    pub value: String,
}

const BLOCKS: &[(&str, &[Fact])] = &[
    (
        "Hardware",
        &[
            Fact::HardwareType,
            Fact::Gpu,
            Fact::GpuCount,
            Fact::VramGbPerGpu,
            Fact::VramGb,
            Fact::Cpu,
            Fact::RamGb,
            Fact::Driver,
            Fact::Os,
        ],
    ),
    (
        "Engine",
        &[
            Fact::EngineName,
            Fact::EngineVersion,
            Fact::Quantization,
            Fact::Backend,
            Fact::Repository,
            Fact::Build,
            Fact::Commit,
            Fact::Image,
        ],
    ),
    (
        "Run",
        &[
            Fact::ModelName,
            Fact::ModelId,
            Fact::ServedName,
            Fact::ModelRevision,
            Fact::Tool,
            Fact::DecodeTest,
            Fact::PrefillMode,
            Fact::SecondsPerMeasurement,
            Fact::RequestsPerMeasurement,
            Fact::MaxOutputTokens,
            Fact::Temperature,
            Fact::KvCacheTokens,
            Fact::Repetitions,
            Fact::SourceUrl,
        ],
    ),
];

/// The blocks that have a row. The tags stand with the facts of the run.
pub fn fact_blocks(facts: &Facts, tags: &[String]) -> Vec<FactBlock> {
    BLOCKS
        .iter()
        .map(|(heading, rows)| FactBlock {
            heading,
            rows: rows
                .iter()
                .filter_map(|fact| {
                    let value = show(facts, *fact)?;
                    // Total memory and memory of one GPU are one row.
                    let label = match fact {
                        Fact::VramGbPerGpu => Fact::VramGb.info().label,
                        _ => fact.info().label,
                    };
                    Some(FactRow { label, value })
                })
                .chain((*heading == "Run" && !tags.is_empty()).then(|| FactRow {
                    label: "Tags",
                    value: tags.join(", "),
                }))
                .collect(),
        })
        .filter(|block: &FactBlock| !block.rows.is_empty())
        .collect()
}

/// A fact in the words of the page; `None` where it is not known, or said by another row.
pub fn show(facts: &Facts, fact: Fact) -> Option<String> {
    let number = |fact| facts.number(fact).map(plain);
    match fact {
        Fact::VramGbPerGpu => {
            let each = facts.number(fact)?;
            match facts.count(Fact::GpuCount) {
                Some(count) => Some(format!(
                    "{} GB ({count} × {} GB)",
                    plain(each * count as f64),
                    plain(each)
                )),
                None => Some(format!("{} GB each", plain(each))),
            }
        }
        Fact::VramGb if facts.get(Fact::VramGbPerGpu).is_some() => None,
        Fact::VramGb | Fact::RamGb => number(fact).map(|n| format!("{n} GB")),
        Fact::Tool => {
            let tool = facts.text(fact)?;
            Some(match facts.text(Fact::ToolVersion) {
                Some(version) => format!("{tool} v{version}"),
                None => tool.to_owned(),
            })
        }
        Fact::SecondsPerMeasurement => number(fact).map(|n| format!("{n} s")),
        Fact::MaxOutputTokens | Fact::KvCacheTokens => number(fact).map(|n| format!("{n} tokens")),
        Fact::MeasuredAt => facts.text(fact).map(|text| {
            MeasuredAt::parse(text).map_or_else(|_| text.to_owned(), MeasuredAt::display)
        }),
        _ => match fact.info().kind {
            Kind::Count | Kind::Number => number(fact),
            _ => facts.text(fact).map(str::to_owned),
        },
    }
}

/// The shortest form with thousands commas: "4,096", "863", "0.7".
fn plain(value: f64) -> String {
    let decimals = format!("{value}")
        .split_once('.')
        .map_or(0, |(_, fraction)| fraction.len());
    format_number(value, decimals)
}

/// The names of the facts that a reader who wants to repeat the run will miss.
pub fn missing(facts: &Facts) -> Vec<&'static str> {
    let no_gpu = facts
        .text(Fact::HardwareType)
        .is_some_and(|t| t.eq_ignore_ascii_case("CPU only"));
    Fact::ALL
        .iter()
        .copied()
        .filter(|fact| fact.info().expected && facts.get(*fact).is_none())
        .filter(|fact| !(no_gpu && matches!(fact, Fact::Gpu | Fact::GpuCount | Fact::VramGbPerGpu)))
        .filter(|fact| {
            // Another fact says as much.
            let instead = match fact {
                Fact::VramGbPerGpu => Fact::VramGb,
                Fact::SecondsPerMeasurement => Fact::RequestsPerMeasurement,
                _ => return true,
            };
            facts.get(instead).is_none()
        })
        .map(|fact| fact.info().label)
        .collect()
}
