//! The title of a run that was given none.

use crate::run::{Fact, Facts};

/// The model, then "on N × GPU" where the GPU is known. The model is the first that is known of its
/// name, the last part of its id, the name it is served under, and the file's name.
pub fn title(facts: &Facts, file_stem: &str) -> String {
    let id = facts
        .text(Fact::ModelId)
        .and_then(|id| id.rsplit('/').find(|part| !part.is_empty()));
    let model = facts
        .text(Fact::ModelName)
        .or(id)
        .or(facts.text(Fact::ServedName))
        .unwrap_or(file_stem);
    match (facts.text(Fact::Gpu), facts.count(Fact::GpuCount)) {
        (Some(gpu), Some(count)) if count > 1 => format!("{model} on {count} × {gpu}"),
        (Some(gpu), _) => format!("{model} on {gpu}"),
        (None, _) => model.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::FactValue;

    #[test]
    fn the_best_known_name_of_the_model_comes_first() {
        let mut facts = Facts::default();
        assert_eq!(title(&facts, "file"), "file");
        facts.set_text(Fact::ServedName, "qwen");
        assert_eq!(title(&facts, "file"), "qwen");
        facts.set_text(Fact::ModelId, "nvidia/Qwen3.5-397B/");
        assert_eq!(title(&facts, "file"), "Qwen3.5-397B");
        facts.set_text(Fact::ModelName, "Qwen3.5 397B");
        assert_eq!(title(&facts, "file"), "Qwen3.5 397B");
    }

    #[test]
    fn one_gpu_is_not_counted() {
        let mut facts = Facts::default();
        facts.set_text(Fact::Gpu, "H200 SXM");
        assert_eq!(title(&facts, "m"), "m on H200 SXM");
        facts.set(Fact::GpuCount, FactValue::Count(1));
        assert_eq!(title(&facts, "m"), "m on H200 SXM");
        facts.set(Fact::GpuCount, FactValue::Count(4));
        assert_eq!(title(&facts, "m"), "m on 4 × H200 SXM");
    }
}
