//! Which of several statements of a fact wins: sidecar, then the file itself, then the nearest
//! `_index.md`, then farther ones, then hints.

use crate::diagnostic::Place;
use crate::run::fact::Kind;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, FactValue, Facts};

use super::sidecar::{Defaults, Sidecar};

/// What was written by hand about one run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Statements<'a> {
    /// Its sidecar.
    pub sidecar: Option<&'a Sidecar>,
    /// The `_index.md` files of the folders that it is in, the nearest first.
    pub defaults: &'a [&'a Defaults],
}

/// A sidecar says something else than its file.
#[derive(Clone, Debug, PartialEq)]
pub struct Contradiction {
    /// About this.
    pub fact: Fact,
    /// What the sidecar says; it wins.
    pub stated: FactValue,
    /// Where it says so.
    pub place: Place,
    /// What the file says.
    pub in_file: FactValue,
}

/// The facts of a run, from those that its file states, those that it hints at, and those that were
/// written by hand.
pub fn merge(
    of_file: &Facts,
    mut hints: Facts,
    statements: Statements,
) -> (Facts, Vec<Contradiction>) {
    let mut facts = Facts::default();
    let mut contradictions = Vec::new();
    if let Some(sidecar) = statements.sidecar {
        facts = sidecar.stated.facts.clone();
        for (fact, stated) in facts.iter() {
            if let (Some(in_file), Some(place)) =
                (of_file.get(fact), sidecar.stated.places.get(&fact))
                && !agree(fact, stated, in_file)
            {
                contradictions.push(Contradiction {
                    fact,
                    stated: stated.clone(),
                    place: place.clone(),
                    in_file: in_file.clone(),
                });
            }
        }
    }
    facts.fill_from(of_file);
    for defaults in statements.defaults {
        facts.fill_from(&defaults.stated.facts);
    }
    drop_other_machine(&facts, &mut hints);
    facts.fill_from(&hints);
    (facts, contradictions)
}

/// The GPUs of the client machine say nothing about a server of which we know another GPU, or that
/// it has none; and the memory of all of them says nothing where only some were used.
fn drop_other_machine(facts: &Facts, hints: &mut Facts) {
    let other_kind = facts
        .text(Fact::HardwareType)
        .is_some_and(|kind| !kind.eq_ignore_ascii_case("Discrete GPU"));
    if other_kind || facts.get(Fact::Gpu).is_some() {
        for fact in [
            Fact::Gpu,
            Fact::GpuCount,
            Fact::VramGbPerGpu,
            Fact::VramGb,
            Fact::Driver,
        ] {
            hints.remove(fact);
        }
    } else if facts.get(Fact::GpuCount).is_some() {
        hints.remove(Fact::VramGb);
    }
}

/// Whether two statements of a fact can both be true.
fn agree(fact: Fact, a: &FactValue, b: &FactValue) -> bool {
    // A title is a matter of taste, and a published run carries one that was made.
    if fact == Fact::Title {
        return true;
    }
    match (a, b) {
        (FactValue::Text(a), FactValue::Text(b)) if fact.info().kind == Kind::Time => {
            match (MeasuredAt::parse(a), MeasuredAt::parse(b)) {
                (Ok(a), Ok(b)) => same_time(a, b),
                _ => a == b,
            }
        }
        (FactValue::Text(a), FactValue::Text(b)) => spelled(a) == spelled(b),
        (a, b) => match (number(a), number(b)) {
            (Some(a), Some(b)) => (a - b).abs() <= 1e-9 * a.abs().max(b.abs()),
            _ => spelled(&a.to_string()) == spelled(&b.to_string()),
        },
    }
}

fn number(value: &FactValue) -> Option<f64> {
    match value {
        FactValue::Count(n) => Some(*n as f64),
        FactValue::Number(x) => Some(*x),
        FactValue::Text(_) => None,
    }
}

/// A text without what is a matter of spelling: case, white space, continued lines.
fn spelled(text: &str) -> String {
    let text = text.replace("\\\n", " ").to_lowercase();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether two times can be one, each as precise as it was given.
fn same_time(a: MeasuredAt, b: MeasuredAt) -> bool {
    let has_time = |time: MeasuredAt| time.to_rfc3339().contains('T');
    if !has_time(a) || !has_time(b) {
        return a.date() == b.date();
    }
    // A time without an offset counts as UTC here.
    let apart = |a: MeasuredAt, b: MeasuredAt| a.sort_key().saturating_sub(b.sort_key());
    let whole_minute = |time: MeasuredAt| time.sort_key().rem_euclid(60) == 0;
    let close =
        |seconds: i64| seconds == 0 || (seconds.abs() < 60 && (whole_minute(a) || whole_minute(b)));
    // Zones lie from 12 hours behind UTC to 14 ahead of it, in quarters of an hour.
    let some_zone = |local: MeasuredAt, fixed: MeasuredAt| {
        let offset = apart(local, fixed);
        let quarter = (offset + 450).div_euclid(900) * 900;
        (-12 * 3600..=14 * 3600).contains(&quarter) && close(offset - quarter)
    };
    match (a.lacks_zone(), b.lacks_zone()) {
        (true, false) => some_zone(a, b),
        (false, true) => some_zone(b, a),
        _ => close(apart(a, b)),
    }
}

/// Gives the time of measurement the offset that its zone had then: the zone of the facts, else the
/// site's. [`Fact::Timezone`] goes where the time needs it no more.
///
/// # Errors
/// The zone's name, where there is no such zone.
pub fn fix_time(facts: &mut Facts, site_zone: Option<&str>) -> Result<(), String> {
    let Some(Ok(time)) = facts.text(Fact::MeasuredAt).map(MeasuredAt::parse) else {
        facts.remove(Fact::Timezone);
        return Ok(());
    };
    if let Some(zone) = facts.text(Fact::Timezone).or(site_zone)
        && time.lacks_zone()
    {
        let fixed = time.in_zone(zone)?;
        facts.set_text(Fact::MeasuredAt, fixed.to_rfc3339());
    }
    // A bare date keeps its zone: it says whose day is meant.
    if facts
        .text(Fact::MeasuredAt)
        .is_some_and(|time| time.contains('T'))
    {
        facts.remove(Fact::Timezone);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::content::sidecar::Stated;

    fn facts(of: &[(Fact, &str)]) -> Facts {
        let mut facts = Facts::default();
        for (fact, text) in of {
            let value = match fact.info().kind {
                Kind::Count => FactValue::Count(text.parse().unwrap()),
                Kind::Number => FactValue::Number(text.parse().unwrap()),
                _ => FactValue::Text((*text).to_owned()),
            };
            facts.set(*fact, value);
        }
        facts
    }

    fn sidecar(of: &[(Fact, &str)]) -> Sidecar {
        Sidecar {
            stated: Stated {
                facts: facts(of),
                places: of
                    .iter()
                    .map(|(fact, _)| (*fact, Place::line("a.md", 2)))
                    .collect(),
                tags: None,
            },
            ..Sidecar::default()
        }
    }

    fn defaults(of: &[(Fact, &str)]) -> Defaults {
        Defaults {
            stated: sidecar(of).stated,
            ..Defaults::default()
        }
    }

    #[test]
    fn the_stronger_statement_wins() {
        let all = [
            (Fact::Author, "sidecar"),
            (Fact::Os, "sidecar"),
            (Fact::Cpu, "sidecar"),
            (Fact::Driver, "sidecar"),
            (Fact::Backend, "sidecar"),
        ];
        let named = |name: &'static str, from: usize| -> Vec<(Fact, &'static str)> {
            all.iter().skip(from).map(|(f, _)| (*f, name)).collect()
        };
        let (side, near, far) = (
            sidecar(&named("sidecar", 4)),
            defaults(&named("near", 2)),
            defaults(&named("far", 1)),
        );
        let statements = Statements {
            sidecar: Some(&side),
            defaults: &[&near, &far],
        };
        let (merged, contradictions) = merge(
            &facts(&named("file", 3)),
            facts(&named("hint", 0)),
            statements,
        );
        let who: Vec<_> = all.iter().map(|(f, _)| merged.text(*f).unwrap()).collect();
        assert_eq!(who, ["hint", "far", "near", "file", "sidecar"]);
        assert_eq!(contradictions.len(), 1);
        assert_eq!(contradictions[0].fact, Fact::Backend);
    }

    #[test]
    fn only_another_value_is_a_contradiction() {
        let contradicts = |fact, stated, in_file| {
            let side = sidecar(&[(fact, stated)]);
            let statements = Statements {
                sidecar: Some(&side),
                defaults: &[],
            };
            let (merged, found) = merge(&facts(&[(fact, in_file)]), Facts::default(), statements);
            assert_eq!(merged, facts(&[(fact, stated)]), "the sidecar wins");
            !found.is_empty()
        };
        for (fact, stated, in_file, expected) in [
            (Fact::Gpu, "H200 SXM", "H200 SXM ", false),
            (Fact::Gpu, "H200 SXM", "h200  sxm", false),
            (Fact::Gpu, "H200 SXM", "H200 NVL", true),
            (Fact::GpuCount, "4", "4", false),
            (Fact::GpuCount, "4", "8", true),
            (Fact::VramGb, "564", "564.0", false),
            (
                Fact::LaunchCommand,
                "vllm serve m \\\n  -tp 4",
                "vllm serve m -tp 4",
                false,
            ),
            (
                Fact::LaunchCommand,
                "vllm serve m -tp 4",
                "vllm serve m -tp 2",
                true,
            ),
            (Fact::Title, "Mine", "Made", false),
            (
                Fact::MeasuredAt,
                "2026-09-13T02:25:31Z",
                "2026-09-13T02:25:00Z",
                false,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T02:25:31Z",
                "2026-09-13T02:26:30Z",
                true,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T02:25:00Z",
                "2026-09-13",
                false,
            ),
            (Fact::MeasuredAt, "2026-09-14", "2026-09-13T02:25:00Z", true),
            (
                Fact::MeasuredAt,
                "2026-09-13T04:25:00+02:00",
                "2026-09-13T02:25:00Z",
                false,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T04:25:00+02:00",
                "2026-09-13T04:25:00Z",
                true,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T02:25:09-04:00",
                "2026-09-13T02:25:09",
                false,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T06:25:09Z",
                "2026-09-13T02:25:09",
                false,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-13T06:25:09Z",
                "2026-09-13T02:31:09",
                true,
            ),
            (
                Fact::MeasuredAt,
                "2026-09-15T06:25:09Z",
                "2026-09-13T06:25:09",
                true,
            ),
        ] {
            assert_eq!(
                contradicts(fact, stated, in_file),
                expected,
                "{stated} / {in_file}"
            );
        }
    }

    #[test]
    fn the_clients_gpus_are_not_those_of_another_server() {
        let hints = || {
            facts(&[
                (Fact::Gpu, "RTX 4090"),
                (Fact::GpuCount, "2"),
                (Fact::VramGbPerGpu, "24"),
                (Fact::VramGb, "48"),
                (Fact::Os, "linux"),
            ])
        };
        let with = |of: &[(Fact, &str)]| merge(&facts(of), hints(), Statements::default()).0;
        assert_eq!(with(&[]), hints());
        for known in [(Fact::Gpu, "H200"), (Fact::HardwareType, "CPU only")] {
            let merged = with(&[known]);
            assert_eq!(merged, facts(&[known, (Fact::Os, "linux")]));
        }
        let some = with(&[(Fact::GpuCount, "1")]);
        assert_eq!(some.text(Fact::Gpu), Some("RTX 4090"));
        assert_eq!(some.get(Fact::VramGb), None);
    }

    #[test]
    fn a_zone_fixes_a_time_and_is_used_up() {
        let fixed = |time: &str, zone: Option<&str>, site: Option<&str>| {
            let mut facts = facts(&[(Fact::MeasuredAt, time)]);
            if let Some(zone) = zone {
                facts.set_text(Fact::Timezone, zone);
            }
            fix_time(&mut facts, site).map(|()| {
                let text = |fact| facts.text(fact).map(str::to_owned);
                (text(Fact::MeasuredAt).unwrap(), text(Fact::Timezone))
            })
        };
        let naive = "2026-07-01T12:00:00";
        let berlin = Ok(("2026-07-01T12:00:00+02:00".to_owned(), None));
        assert_eq!(fixed(naive, Some("Europe/Berlin"), Some("UTC")), berlin);
        assert_eq!(fixed(naive, None, Some("Europe/Berlin")), berlin);
        assert_eq!(fixed(naive, None, None), Ok((naive.to_owned(), None)));
        assert_eq!(
            fixed("2026-07-01T12:00:00Z", Some("Europe/Berlin"), None),
            Ok(("2026-07-01T12:00:00Z".to_owned(), None))
        );
        assert_eq!(
            fixed("2026-07-01", Some("Europe/Berlin"), None),
            Ok(("2026-07-01".to_owned(), Some("Europe/Berlin".to_owned())))
        );
        assert_eq!(fixed(naive, Some("X/Y"), None), Err("X/Y".to_owned()));
    }
}
