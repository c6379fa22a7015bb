//! What a lil-bench document states of the server: how it was started, and the machine it ran on.

use std::collections::BTreeSet;

use crate::import::json::JsonNode;
use crate::import::llm_inference_bench::client::nominal_gb;
use crate::import::llm_inference_bench::fields::{ANY_COUNT, Fields, MOST, Problems};
use crate::run::{Fact, FactValue, Facts};

use super::shell;

/// Model, engine and launch command.
pub fn read(server: &Fields, facts: &mut Facts, problems: &mut Problems) {
    let api = server.fields_or_empty("api", problems);
    let limits = server.fields_or_empty("limits", problems);
    let names = [server.text("model", problems), api.text("root", problems)];
    if let Some(id) = names.iter().flatten().find(|name| is_repository(name)) {
        facts.set_text(Fact::ModelId, id);
    }
    let served = api
        .text("model_id", problems)
        .or_else(|| limits.text("served_model_name", problems));
    if let Some(name) = served {
        facts.set_text(Fact::ServedName, name);
    }
    if let Some(version) = api.text("version", problems) {
        facts.set_text(Fact::EngineVersion, version);
    }
    let tokens = api
        .count("kv_tokens", ANY_COUNT, problems)
        .or_else(|| limits.count("kv_tokens", ANY_COUNT, problems));
    if let Some(tokens) = tokens.filter(|n| *n > 0) {
        facts.set(Fact::KvCacheTokens, FactValue::Count(tokens));
    }
    if let Some(line) = launch_command(server, problems) {
        facts.set_text(Fact::LaunchCommand, line);
    }
}

/// "org/name", and no path.
fn is_repository(name: &str) -> bool {
    match name.split_once('/') {
        Some((org, model)) => {
            !org.is_empty()
                && !model.is_empty()
                && !model.contains('/')
                && !org.starts_with(['.', '~'])
        }
        None => false,
    }
}

/// The server's words with the variables that it was started with before them.
fn launch_command(server: &Fields, problems: &mut Problems) -> Option<String> {
    let environment = server.fields_or_empty("environment", problems);
    let mut variables = Vec::new();
    for (name, node) in environment.iter() {
        if !shell::is_variable(name) {
            continue;
        }
        if let Some(value) = word(node, &environment.path(name), problems) {
            variables.push((name, value));
        }
    }
    let path = server.path("argv");
    let words: Vec<String> = server
        .list("argv", problems)
        .into_iter()
        .enumerate()
        .filter_map(|(at, node)| word(node, &format!("{path}[{at}]"), problems))
        .collect();
    if words.is_empty() {
        return None;
    }
    Some(shell::command(
        variables
            .iter()
            .map(|(name, value)| (*name, value.as_str())),
        words.iter().map(String::as_str),
    ))
}

/// A word of a command: a text, or a number that stands for one.
fn word(node: JsonNode, path: &str, problems: &mut Problems) -> Option<String> {
    let word = node.text().or_else(|| node.number().map(|n| n.to_string()));
    if word.is_none() {
        let kind = node.kind();
        problems.shape(node, format!("`{path}` is {kind}, expected a text"));
    }
    word
}

/// GPUs, driver, processor and memory of the server's machine; notes on what does not fit a fact.
pub fn hardware(
    hardware: &Fields,
    server: &Fields,
    facts: &mut Facts,
    notes: &mut Vec<String>,
    problems: &mut Problems,
) {
    let gpus = hardware.objects("gpus", problems);
    if !gpus.is_empty() {
        let names: BTreeSet<String> = gpus
            .iter()
            .filter_map(|gpu| gpu.text("name", problems))
            .collect();
        let names: Vec<String> = names.into_iter().collect();
        facts.set_text(Fact::Gpu, names.join(" + "));
        facts.set(Fact::GpuCount, FactValue::Count(gpus.len() as u64));
        memory(&gpus, facts, problems);
        let limits = server.fields_or_empty("limits", problems);
        let parallel = limits.count("tensor_parallel_size", ANY_COUNT, problems);
        if let Some(parallel) = parallel.filter(|n| (1..gpus.len() as u64).contains(n)) {
            notes.push(format!(
                "The machine has {} GPUs; the server's tensor-parallel size is {parallel}.",
                gpus.len()
            ));
        }
    }
    let system = hardware.fields_or_empty("system", problems);
    if let Some(driver) = system.text("driver_version", problems) {
        facts.set_text(Fact::Driver, driver);
    }
    let cpu = hardware.fields_or_empty("cpu", problems);
    let lscpu = cpu.fields_or_empty("lscpu", problems);
    if let Some(model) = lscpu.text("Model name", problems) {
        facts.set_text(Fact::Cpu, model);
    }
    let ram = hardware.fields_or_empty("memory", problems);
    if let Some(mib) = ram.number("mem_total_mib", 0.0..=MOST, problems)
        && mib >= 512.0
    {
        facts.set(Fact::RamGb, FactValue::Number((mib / 1024.0).round()));
    }
    let host = hardware.fields_or_empty("host", problems);
    if host.text("kernel", problems).is_some() && lscpu.has("Model name") {
        // lscpu exists nowhere else.
        facts.set_text(Fact::Os, "linux");
    }
}

fn memory(gpus: &[Fields], facts: &mut Facts, problems: &mut Problems) {
    let sizes: Vec<f64> = gpus
        .iter()
        .filter_map(|gpu| gpu.measured("memory_total_mib", problems))
        .map(nominal_gb)
        .collect();
    let Some(first) = sizes.first().filter(|_| sizes.len() == gpus.len()) else {
        return;
    };
    if sizes.iter().all(|size| size == first) {
        facts.set(Fact::VramGbPerGpu, FactValue::Number(*first));
    } else {
        facts.set(Fact::VramGb, FactValue::Number(sizes.iter().sum()));
    }
}
