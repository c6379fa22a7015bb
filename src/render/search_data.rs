//! `runs.js`: all runs for the script of the front page, which loads it when a reader first
//! searches, filters or sorts. One call with JSON, so that a page that was opened from a disk can
//! load it, too.
//!
//! Columns of arrays, newest run first; texts that repeat are numbers of a list. The file keeps its
//! name, so that a page from a cache finds it; pages ask for it with a hash of its content.

use std::collections::BTreeMap;

use rayon::prelude::*;
use serde_json::{Map, Value, json};

use super::index_json::speculation;
use super::view::index::{RowFigures, Shown, gpu_count, title};
use super::view::thumbnail::{Grid, site_scale};
use crate::launch::LaunchCommand;
use crate::run::figure::format_number;
use crate::run::time::MeasuredAt;
use crate::run::{Fact, Run};
use crate::site::{Kind, Site, measured};
use crate::theme::digits;

/// Name of the file.
pub const FILE: &str = "runs.js";

/// What a run is filtered by, with its values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Facet {
    /// Its name in addresses.
    pub key: &'static str,
    /// Its name on the page.
    pub label: &'static str,
    /// The values, each with the number of runs that have it.
    pub values: Vec<(String, usize)>,
    /// The values of each run, as places in `values`.
    of: Vec<Vec<usize>>,
}

impl Facet {
    /// Whether choosing a value can leave out a run.
    pub fn divides(&self) -> bool {
        self.values.iter().any(|(_, runs)| *runs < self.of.len())
    }

    /// A facet of which each run has these values; a value is known by its key, and keys are in
    /// order.
    fn new<K: Ord>(key: &'static str, label: &'static str, of: Vec<Vec<(K, String)>>) -> Self {
        let mut values: BTreeMap<&K, (&String, usize)> = BTreeMap::new();
        for (key, text) in of.iter().flatten() {
            values.entry(key).or_insert((text, 0)).1 += 1;
        }
        let places: BTreeMap<&K, usize> = values.keys().copied().zip(0..).collect();
        let at = |(key, _): &(K, String)| places.get(key).copied();
        Self {
            key,
            label,
            of: of
                .iter()
                .map(|of| of.iter().filter_map(at).collect())
                .collect(),
            values: values
                .into_values()
                .map(|(text, runs)| (text.clone(), runs))
                .collect(),
        }
    }

    /// The values of the runs of a kind, as its page groups them.
    fn of_kind(site: &Site, kind: Kind, key: &'static str, label: &'static str) -> Self {
        let mut of = vec![Vec::new(); site.runs.len()];
        let groups = site.kinds.get(&kind).map_or(&[][..], Vec::as_slice);
        for group in groups {
            let Some(name) = &group.name else { continue };
            for run in &group.runs {
                if let Some(of) = of.get_mut(*run) {
                    of.push((name.to_lowercase(), name.clone()));
                }
            }
        }
        Self::new(key, label, of)
    }

    /// All of it: the values, and for each run the place of its one value or a list of places.
    fn json(&self) -> Value {
        let names: Vec<&String> = self.values.iter().map(|(name, _)| name).collect();
        let of = self.of.iter().map(|of| match of.as_slice() {
            [] => Value::Null,
            [one] => json!(one),
            many => json!(many),
        });
        json!({ "d": names, "i": of.collect::<Vec<_>>() })
    }
}

/// What the front page searches.
#[derive(Clone, Debug)]
pub struct SearchData {
    /// What runs are filtered by.
    pub facets: Vec<Facet>,
    /// The content of the file.
    pub script: String,
    /// Its name with a hash of its content, relative to the site's root.
    pub link: String,
}

/// What a launch command gives to search and filters.
#[derive(Default)]
struct Launch {
    /// How tokens are guessed ahead; `None` where there is no command.
    speculation: Option<String>,
    flags: Vec<String>,
}

impl Launch {
    fn of(run: &Run) -> Self {
        let Some(text) = run.facts.text(Fact::LaunchCommand) else {
            return Self::default();
        };
        let command = LaunchCommand::parse(text);
        let flags = command.flags();
        let mut flags: Vec<String> = flags.iter().map(|f| f.whole().to_owned()).collect();
        flags.sort_unstable();
        flags.dedup();
        let speculation = match speculation(&command) {
            (None, None) => "none in the launch command".to_owned(),
            (Some(method), None) => method,
            (None, Some(tokens)) => format!("{tokens} tokens"),
            (Some(method), Some(tokens)) => format!("{method}, {tokens} tokens"),
        };
        Self {
            speculation: Some(speculation),
            flags,
        }
    }
}

impl SearchData {
    /// Collects it. The same site gives the same bytes.
    pub fn of(site: &Site) -> Self {
        // In parallel, since each launch command is parsed.
        let launches: Vec<Launch> = site
            .runs
            .par_iter()
            .map(|page| Launch::of(&page.run))
            .collect();
        let facets = facets(site, &launches);
        let data = data(site, &facets, &launches);
        let script = format!("speedbook.runs({});\n", for_script(&data.to_string()));
        Self {
            facets,
            link: format!("{FILE}?v={}", digits(script.as_bytes())),
            script,
        }
    }
}

fn facets(site: &Site, launches: &[Launch]) -> Vec<Facet> {
    let runs = || site.runs.iter().map(|page| &page.run);
    let one = |text: Option<&str>| -> Vec<(String, String)> {
        text.map(|text| (text.to_lowercase(), text.to_owned()))
            .into_iter()
            .collect()
    };
    let tags = |run: &Run| -> Vec<(String, String)> {
        let tags: BTreeMap<String, String> = run
            .tags
            .iter()
            .map(|tag| (tag.to_lowercase(), tag.clone()))
            .collect();
        tags.into_iter().collect()
    };
    vec![
        Facet::of_kind(site, Kind::Models, "model", "Model"),
        Facet::of_kind(site, Kind::Hardware, "gpu", "GPU"),
        Facet::new(
            "gpus",
            "Number of GPUs",
            runs()
                .map(|run| {
                    gpu_count(run)
                        .map(|n| (n, n.to_string()))
                        .into_iter()
                        .collect()
                })
                .collect(),
        ),
        Facet::of_kind(site, Kind::Engines, "engine", "Engine"),
        Facet::new(
            "quantization",
            "Quantization",
            runs()
                .map(|run| one(run.facts.text(Fact::Quantization)))
                .collect(),
        ),
        Facet::new(
            "speculation",
            "Speculation",
            launches
                .iter()
                .map(|launch| one(launch.speculation.as_deref()))
                .collect(),
        ),
        Facet::new("tag", "Tag", runs().map(tags).collect()),
    ]
}

fn data(site: &Site, facets: &[Facet], launches: &[Launch]) -> Value {
    let runs = || site.runs.iter().map(|page| &page.run);
    let text = |fact| dictionary(runs().map(|run| run.facts.text(fact).map(str::to_owned)));
    let scale = site_scale(site);
    let grids: Vec<Option<Grid>> = site
        .runs
        .par_iter()
        .map(|page| Grid::of(&page.run, scale.as_ref()))
        .collect();
    let figures: Vec<RowFigures> = site.runs.iter().map(RowFigures::of).collect();

    let mut data = Map::new();
    let mut put = |key: &str, value: Value| {
        data.insert(key.to_owned(), value);
    };
    put("n", json!(site.runs.len()));
    put(
        "end",
        json!(if site.facts.portable {
            "/index.html"
        } else {
            "/"
        }),
    );
    put("slug", runs().map(|run| run.slug.as_str()).collect());
    put(
        "title",
        dictionary(runs().map(|run| Some(title(run).to_owned()))),
    );
    for facet in facets {
        put(facet.key, facet.json());
    }
    put("version", text(Fact::EngineVersion));
    put("author", text(Fact::Author));
    put("flags", flags(launches));
    // Bit 0: draft, 1: incomplete, 2: not ranked.
    put("marks", runs().map(|run| json!(marks_bits(run))).collect());
    let mut shown = Map::new();
    for (key, decimals, of) in FIGURES {
        let of = figures.iter().map(of);
        put(key, of.clone().map(|f| json!(f.map(|f| f.raw))).collect());
        let notes = of.clone().map(|f| f.map(|f| f.note.clone()));
        put(&format!("{key}_note"), dictionary(notes));
        let odd = of.zip(0_usize..).filter_map(|(f, at)| {
            let f = f.filter(|f| !is_plain(f, *decimals))?;
            Some((at.to_string(), json!(f.text)))
        });
        shown.insert((*key).to_owned(), odd.collect());
    }
    let per_gpu = figures.iter().zip(0_usize..).filter_map(|(f, at)| {
        let f = f.per_gpu.as_ref()?;
        (!is_plain(f, 1)).then(|| (at.to_string(), json!(f.text)))
    });
    shown.insert("per_gpu".to_owned(), per_gpu.collect());
    put(
        "matrix",
        grids
            .iter()
            .map(|grid| json!(grid.as_ref().map(Grid::digits)))
            .collect(),
    );
    put(
        "words",
        grids
            .iter()
            .map(|grid| json!(grid.as_ref().map(Grid::label)))
            .collect(),
    );
    let (times, odd) = times(site);
    put("measured", times);
    shown.insert("measured".to_owned(), odd);
    put("shown", Value::Object(shown));
    Value::Object(data)
}

/// The columns of figures: their key, the decimals that a plain one is shown with, the figure.
type Column = (&'static str, usize, fn(&RowFigures) -> Option<&Shown>);

const FIGURES: &[Column] = &[
    ("one", 1, |f| f.one.as_ref()),
    ("total", 1, |f| f.total.as_ref()),
    ("most", 0, |f| f.most.as_ref()),
    ("prefill", 0, |f| f.prefill.as_ref()),
];

/// Whether a script writes the number in the same way: not, where it was given in another notation,
/// and not where it lies just between two neighbours, which scripts round up and pages to even.
fn is_plain(figure: &Shown, decimals: usize) -> bool {
    let between = figure.raw * 4.0 % 1.0 == 0.0 && figure.raw % 1.0 != 0.0;
    !between && figure.text == format_number(figure.raw, decimals)
}

/// Texts as numbers of a list, in the order in which they first come.
fn dictionary(texts: impl Iterator<Item = Option<String>>) -> Value {
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    let mut list: Vec<String> = Vec::new();
    let of: Vec<Option<usize>> = texts
        .map(|text| {
            let text = text?;
            let next = list.len();
            Some(*places.entry(text).or_insert_with_key(|text| {
                list.push(text.clone());
                next
            }))
        })
        .collect();
    json!({ "d": list, "i": of })
}

/// The names of the flags of the launch commands: a list of names, a list of the sets of them that
/// there are, and for each run its set.
fn flags(launches: &[Launch]) -> Value {
    let mut names: BTreeMap<&str, usize> = BTreeMap::new();
    for flag in launches.iter().flat_map(|launch| &launch.flags) {
        names.entry(flag).or_default();
    }
    for (place, at) in names.values_mut().zip(0..) {
        *place = at;
    }
    let mut sets: BTreeMap<&Vec<String>, usize> = BTreeMap::new();
    let mut list: Vec<Vec<usize>> = Vec::new();
    let mut of = Vec::with_capacity(launches.len());
    for launch in launches {
        let next = list.len();
        of.push(*sets.entry(&launch.flags).or_insert_with(|| {
            let places = launch.flags.iter();
            let places = places.filter_map(|flag| names.get(flag.as_str()).copied());
            list.push(places.collect());
            next
        }));
    }
    let names: Vec<&str> = names.into_keys().collect();
    json!({ "d": names, "sets": list, "i": of })
}

fn marks_bits(run: &Run) -> u8 {
    let bits = [run.draft, !run.complete, !run.ranked];
    let bits = bits.iter().zip([1, 2, 4]);
    bits.filter(|(on, _)| **on).map(|(_, bit)| bit).sum()
}

/// When the runs were measured, in seconds since 1970, each less the one before that has a time;
/// and the days that are shown, where they are not those in UTC.
fn times(site: &Site) -> (Value, Value) {
    let mut before = 0;
    let mut odd = Map::new();
    let mut times = Vec::with_capacity(site.runs.len());
    for (page, at) in site.runs.iter().zip(0_usize..) {
        let shown = super::view::index::day(&page.run);
        let time = measured(&page.run);
        let in_utc = time
            .and_then(MeasuredAt::to_utc)
            .and_then(|utc| MeasuredAt::parse(&utc).ok())
            .map(MeasuredAt::day);
        if shown.is_some() && shown != in_utc {
            odd.insert(at.to_string(), json!(shown));
        }
        times.push(match time.map(MeasuredAt::sort_key) {
            Some(key) => {
                let less = key.wrapping_sub(before);
                before = key;
                json!(less)
            }
            None => Value::Null,
        });
    }
    (Value::Array(times), Value::Object(odd))
}

/// JSON that may stand in a script, and be printed to a terminal.
fn for_script(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        match c {
            '<' | '\u{7F}'..='\u{9F}' | '\u{2028}' | '\u{2029}' => {
                out.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => out.push(c),
        }
    }
    out
}
