//! Documents of lil-bench (`lil-bench-result/1`): a run of llm-inference-bench by a fixed standard,
//! with everything known of the server around it. The inner document is read by
//! [`super::llm_inference_bench`]; what the outer one states goes before it.

mod plan;
mod server;
mod shell;

use super::llm_inference_bench::client::private_host;
use super::llm_inference_bench::fields::{Fields, Problems};
use super::llm_inference_bench::metadata::measured_at;
use super::llm_inference_bench::{Draft, finish, left_alone, read_matrix};
use super::{Format, Input, Outcome};
use crate::diagnostic::{Code, Diagnostic};
use crate::run::{Fact, Facts};

/// The format.
pub struct LilBench;

/// What `schema` begins with; the number after it is the version.
const SCHEMA: &str = "lil-bench-result/";

impl Format for LilBench {
    fn name(&self) -> &'static str {
        "lil-bench"
    }

    fn looks_for(&self) -> &'static str {
        "JSON with `schema` \"lil-bench-result/1\""
    }

    fn recognises(&self, input: &Input) -> bool {
        let schema = input.json.and_then(|root| root.get("schema")?.text());
        schema.is_some_and(|schema| schema.starts_with(SCHEMA))
    }

    fn import(&self, input: &Input) -> Result<Outcome, Vec<Diagnostic>> {
        let Some(root) = input.json.and_then(Fields::peek) else {
            return Err(Vec::new());
        };
        let mut problems = Problems::new(input);
        let draft = read(&root, &mut problems);
        if draft.is_empty() && problems.errors.is_empty() {
            let status = root.get("status").and_then(|n| n.text());
            let status = status.unwrap_or_else(|| "without results".to_owned());
            return Ok(left_alone(
                input,
                &format!("is a lil-bench document ({status}) that holds no measurement"),
                "run the benchmark again, or remove the file",
            ));
        }
        finish(draft, input, problems)
    }
}

fn read(root: &Fields, problems: &mut Problems) -> Draft {
    check_version(root, problems);
    let (plan, skipped_prefill) = plan::read(root, problems);
    let results = root.fields_or_empty("results", problems);
    let bench = results.fields_or_empty("bench", problems);
    let mut draft = read_matrix(&bench, &plan, problems);

    let mut facts = Facts::default();
    let mut notes = Vec::new();
    let server = root.fields_or_empty("server", problems);
    server::read(&server, &mut facts, problems);
    let hardware = root.fields_or_empty("hardware", problems);
    server::hardware(&hardware, &server, &mut facts, &mut notes, problems);
    about(root, &mut draft, &mut facts, &mut notes, problems);
    facts.fill_from(&draft.run.facts);
    draft.run.facts = facts;
    notes.append(&mut draft.run.notes);
    draft.run.notes = notes;
    if let Some(url) = server.text("url", problems) {
        draft.private_names.extend(private_host(&url));
    }

    // Points that were left out say something only beside points that were measured.
    if !draft.run.prefill.is_empty() {
        let measured = std::mem::take(&mut draft.run.prefill);
        let left_out = skipped_prefill
            .into_iter()
            .filter(|point| measured.iter().all(|m| m.context != point.context));
        draft.run.prefill = left_out.collect();
        draft.run.prefill.extend(measured);
    }
    draft
}

fn check_version(root: &Fields, problems: &mut Problems) {
    let Some(node) = root.get("schema") else {
        return;
    };
    let schema = node.text().unwrap_or_default();
    let version = schema.strip_prefix(SCHEMA).unwrap_or_default();
    if version != "1" {
        let message = format!("is of the schema {schema}; {SCHEMA}1 is known here");
        let help = "compare the page with the tool's own output before publishing it";
        problems.warn(Code::NewerVersion, node, message, help);
    }
}

/// When and how lil-bench ran, and what keeps the run from being complete or ranked.
fn about(
    root: &Fields,
    draft: &mut Draft,
    facts: &mut Facts,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) {
    measured_at(root, "finished", facts, problems);
    let client = root.fields_or_empty("client", problems);
    if let Some(version) = client.text("llm_decode_bench", problems) {
        // The inner document may be older; it is the one that says how its figures were made.
        if draft.run.facts.text(Fact::ToolVersion).is_none() {
            facts.set_text(Fact::ToolVersion, version);
        }
    }
    let profile = root.text("profile", problems);
    let words: Vec<String> = [
        client.text("lil_bench", problems),
        root.text("standard", problems),
        profile.as_ref().map(|p| format!("profile {p}")),
    ]
    .into_iter()
    .flatten()
    .collect();
    notes.push(
        format!("Run by lil-bench {}", words.join(", "))
            .trim_end()
            .to_owned()
            + ".",
    );
    if profile.as_deref() == Some("quick") {
        draft.run.ranked = false;
        notes.push("A quick profile: not ranked among other runs.".to_owned());
    }
    let status = root.text("status", problems);
    if status.is_some_and(|status| status != "complete") {
        draft.run.complete = false;
    }
    let image = root.fields_or_empty("image", problems);
    let name = image
        .text("alias", problems)
        .or_else(|| image.text("assembly_sha256", problems));
    if let Some(name) = name {
        facts.set_text(Fact::Image, name);
    }
    let integrity = root.fields_or_empty("integrity", problems);
    if let Some(state) = integrity.text("status", problems)
        && state != "stock"
    {
        notes.push(format!(
            "lil-bench found the server's image changed (integrity: {state})."
        ));
    }
    notes.extend(throttled(root, problems));
    if let Some(note) = client.text("note", problems) {
        notes.push(note.trim().to_owned());
    }
}

/// Phases in which the GPUs did not run at full speed.
fn throttled(root: &Fields, problems: &mut Problems) -> Option<String> {
    let mut phases = Vec::new();
    for phase in root.objects("phases", problems) {
        let analysis = phase.fields_or_empty("analysis", problems);
        let verdict = analysis.text("verdict", problems);
        let name = phase.text("name", problems);
        if let (Some(verdict), Some(name)) = (verdict, name)
            && !matches!(verdict.as_str(), "ok" | "no_data")
        {
            phases.push(format!("{name} ({verdict})"));
        }
    }
    (!phases.is_empty()).then(|| format!("The GPUs were held back in: {}.", phases.join(", ")))
}

#[cfg(test)]
mod tests;
