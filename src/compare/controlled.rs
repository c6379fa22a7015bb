//! Controlled pairs: setups that differ in exactly one thing, and what that thing does.
//!
//! Not each with each: setups are put into buckets by everything but one thing, so that the work
//! grows with the number of setups and of the things that each of them has.

use std::collections::{BTreeMap, BTreeSet};

use super::fingerprint::{Fingerprint, Item, PartNumber, clear_differences};
use super::natural::Natural;
use super::pool::Matrix;
use super::setups::Setups;
use super::subject::in_order;
use super::summary::Summary;
use super::things::{ThingKind, lower_first};
use crate::run::Fact;

/// A run has at most this many pages of controlled pairs.
pub const PAGES_A_RUN: usize = 8;

/// Of up to this many setups that differ in one thing all pairs are listed; of more only
/// neighbours, and the first with the last.
pub const ALL_PAIRS_OF: usize = 12;

/// How far ahead in the order of values a neighbour is looked for, where the nearest ones are not
/// known to differ in this thing only.
const REACH: usize = 8;

/// What changes from one setup to another: "speculative tokens 2 → 3".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// Which thing.
    pub thing: ThingKind,
    /// What of it: "speculative tokens", "vllm", "GPUs", `--dtype`.
    pub label: String,
    /// The value before; "not set" where there is none. Text of the runs, of any length.
    pub from: String,
    /// The value after.
    pub to: String,
    /// Whether the label stands behind the values: "2 → 4 GPUs".
    pub label_last: bool,
}

impl Change {
    /// "speculative tokens 2 → 3", "2 → 4 GPUs".
    pub fn words(&self) -> String {
        let Self {
            label, from, to, ..
        } = self;
        match self.label_last {
            true => format!("{from} → {to} {label}"),
            false => format!("{label} {from} → {to}"),
        }
    }
}

/// Where a pair stands along the ordered values of its thing, everything else being equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// One value and the next.
    Neighbours,
    /// The first value and the last, with others between them.
    Ends,
    /// Any others.
    Others,
}

/// Two setups that differ in one thing.
#[derive(Clone, Debug, PartialEq)]
pub struct Pair {
    /// The setup with the value before, by its place in [`Setups::all`].
    pub from: usize,
    /// The setup with the value after.
    pub to: usize,
    /// Where it stands along the values.
    pub place: Place,
    /// The runs of its page as A and B of [`in_order`], by their places: the newest run of each
    /// setup. `None` where the pair is listed only.
    pub page: Option<(usize, usize)>,
    /// The ratios of total tok/s (after ÷ before) over all shared valid cells, medians where a
    /// setup was measured several times.
    pub effect: Summary,
    /// The noise band that was applied, as a share of 1.
    pub band: f64,
}

impl Pair {
    /// Whether the geometric mean is beyond the noise band.
    pub fn is_clear(&self) -> bool {
        self.effect.means.is_some_and(|means| {
            let mean = means.geometric_mean;
            mean.max(1.0 / mean) > (1.0 + self.band) * (1.0 + 1e-12)
        })
    }
}

/// What a change does, over all its pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Effect {
    /// Pairs that have a shared valid cell.
    pub pairs: usize,
    /// Cells of all these pairs.
    pub cells: usize,
    /// exp of the mean of ln of the pairs' geometric means: each pair counts once.
    pub mean: f64,
    /// The smallest of the pairs' geometric means.
    pub smallest: f64,
    /// The largest.
    pub largest: f64,
    /// In how many pairs the geometric mean is beyond the noise band.
    pub clear: usize,
}

impl Effect {
    fn of(pairs: &[Pair]) -> Option<Self> {
        let told = pairs
            .iter()
            .filter_map(|pair| Some((pair, pair.effect.means?.geometric_mean)));
        let (mut n, mut cells, mut sum, mut clear) = (0, 0, 0.0, 0);
        let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
        for (pair, mean) in told {
            n += 1;
            cells += pair.effect.n;
            sum += mean.ln();
            clear += usize::from(pair.is_clear());
            smallest = smallest.min(mean);
            largest = largest.max(mean);
        }
        (n > 0).then(|| Self {
            pairs: n,
            cells,
            // Rounding must not put the mean beyond its own ends.
            mean: (sum / n as f64).exp().clamp(smallest, largest),
            smallest,
            largest,
            clear,
        })
    }
}

/// All pairs of one change.
#[derive(Clone, Debug, PartialEq)]
pub struct ChangeGroup {
    /// The change.
    pub change: Change,
    /// Its pairs, in the order of their setups.
    pub pairs: Vec<Pair>,
    /// What the change does; `None` where no pair shares a valid cell.
    pub effect: Option<Effect>,
}

/// The controlled pairs of a set of runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ControlledPairs {
    /// By thing, then by value before and after.
    pub groups: Vec<ChangeGroup>,
    /// At most how many pairs are not listed, since more than [`ALL_PAIRS_OF`] setups differ in
    /// one thing.
    pub not_listed: usize,
}

impl ControlledPairs {
    /// All listed pairs.
    pub fn pairs(&self) -> impl Iterator<Item = &Pair> {
        self.groups.iter().flat_map(|group| &group.pairs)
    }

    /// Finds the controlled pairs of setups.
    ///
    /// Two setups are a pair where a comparison finds that they differ in one thing, and where
    /// nothing else of them is unknown: a fact of another thing that only one of them tells, or a
    /// value of a variable, might differ too. Setups that differ in one thing are in the order of
    /// its values ([`Natural`]; engines by name, version, then the date on which the value was
    /// first measured). At most [`PAGES_A_RUN`] pairs of a run have a page, neighbours before ends.
    pub fn of(setups: &Setups) -> Self {
        Finder::new(setups).find()
    }
}

/// An item in which two setups differ: its key, that of the one, that of the other.
type Differing<'a> = (&'a str, Option<&'a Item>, Option<&'a Item>);

/// What finding takes.
struct Finder<'s, 'a> {
    setups: &'s Setups<'a>,
    engine: Option<usize>,
    container: Option<usize>,
    /// By setup.
    prints: Vec<&'s [PartNumber]>,
    fingerprints: Vec<&'s Fingerprint>,
    matrices: BTreeMap<usize, Matrix>,
}

/// A pair that was found.
struct Found {
    from: usize,
    to: usize,
    key: usize,
    place: Place,
}

/// What the values of a thing are sorted by.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Order {
    /// The values that count most.
    first: Vec<Natural>,
    /// When the value was first measured; unknown last.
    date: (bool, i64),
    /// Everything.
    all: Vec<(String, String)>,
}

impl<'s, 'a> Finder<'s, 'a> {
    fn new(setups: &'s Setups<'a>) -> Self {
        let all = &setups.fingerprints;
        let first = || setups.all().iter().filter_map(|setup| setup.runs.first());
        Self {
            engine: all.key(&ThingKind::Engine.id()),
            container: all.key(&ThingKind::Container.id()),
            prints: first()
                .filter_map(|run| all.prints.get(*run))
                .map(|print| print.parts.as_slice())
                .collect(),
            fingerprints: first().filter_map(|run| all.of_run.get(*run)).collect(),
            matrices: BTreeMap::new(),
            setups,
        }
    }

    /// The number of the text that a setup has for a part.
    fn text(&self, setup: usize, key: usize) -> Option<usize> {
        let parts = *self.prints.get(setup)?;
        let at = parts.binary_search_by_key(&key, |part| part.key).ok()?;
        parts.get(at).map(|part| part.text)
    }

    /// Setups that are equal but for one part, by this part; those without it among them.
    fn buckets(&self) -> BTreeMap<(usize, u128), Vec<usize>> {
        let all = &self.setups.fingerprints;
        let mut buckets: BTreeMap<(usize, u128), Vec<usize>> = BTreeMap::new();
        let mut by_sum: BTreeMap<u128, usize> = BTreeMap::new();
        for (setup, parts) in self.prints.iter().enumerate() {
            let mark = |text: usize| all.mark(text);
            let sum = parts
                .iter()
                .fold(0, |sum: u128, part| sum.wrapping_add(mark(part.text)));
            by_sum.insert(sum, setup);
            for part in *parts {
                let thing = self.kind(setup, part.key).is_some();
                if thing && Some(part.key) != self.engine {
                    let rest = sum.wrapping_sub(mark(part.text));
                    buckets.entry((part.key, rest)).or_default().push(setup);
                }
            }
            // Where one server runs in a container and the other does not, the container's options
            // follow from that.
            if let Some(engine) = self.engine {
                let without = [Some(engine), self.container].into_iter().flatten();
                let texts = without.filter_map(|key| self.text(setup, key));
                let rest = texts.fold(sum, |sum, text| sum.wrapping_sub(mark(text)));
                buckets.entry((engine, rest)).or_default().push(setup);
            }
        }
        for ((key, rest), bucket) in &mut buckets {
            if let Some(setup) = by_sum.get(rest)
                && Some(*key) != self.engine
                && !bucket.contains(setup)
            {
                bucket.push(*setup);
            }
        }
        buckets.retain(|_, bucket| bucket.len() > 1);
        buckets
    }

    fn kind(&self, setup: usize, key: usize) -> Option<&'s ThingKind> {
        let id = self.setups.fingerprints.keys.get(key)?;
        self.fingerprints.get(setup)?.parts.get(id)?.kind.as_ref()
    }

    fn order(&self, setup: usize, key: usize) -> Order {
        let all = &self.setups.fingerprints;
        let part = all
            .keys
            .get(key)
            .and_then(|id| self.fingerprints.get(setup)?.parts.get(id));
        let Some(part) = part else {
            return Order {
                first: Vec::new(),
                date: (false, i64::MIN),
                all: Vec::new(),
            };
        };
        let natural = |item: Option<&Item>| match item {
            Some(item) => natural(part.kind.as_ref(), item),
            None => Natural::of(""),
        };
        let named = |keys: &[&str]| {
            keys.iter()
                .map(|key| natural(part.items.get(*key)))
                .collect()
        };
        let first: Vec<Natural> = match &part.kind {
            Some(ThingKind::Engine) => named(&["engine.name", "engine.version"]),
            Some(ThingKind::GpuCount) => named(&["hardware.gpu_count", "setting tensor_parallel"]),
            Some(ThingKind::Gpu) => named(&["hardware.gpu"]),
            Some(ThingKind::Model) => named(&["model"]),
            Some(ThingKind::Tool) => named(&["method.tool", "method.tool_version"]),
            Some(ThingKind::Speculative) => {
                let with = |word: &str| {
                    let mut items = part.items.iter();
                    natural(
                        items
                            .find(|(key, _)| key.contains(word))
                            .map(|(_, item)| item),
                    )
                };
                vec![with("method"), with("algorithm"), with("tokens")]
            }
            _ => part
                .items
                .values()
                .map(|item| natural(Some(item)))
                .collect(),
        };
        let date = self.text(setup, key).and_then(|text| *all.first.get(text)?);
        // A server without a container comes before one with it.
        let image = part
            .items
            .get("image")
            .map_or("", |item| item.value.as_str());
        let mut everything = vec![("image".to_owned(), image.to_owned())];
        let items = part.items.iter();
        everything.extend(items.map(|(k, item)| (k.clone(), item.value.clone())));
        Order {
            first,
            date: (date.is_none(), date.unwrap_or(0)),
            all: everything,
        }
    }

    /// The items in which two setups are known to differ, if these are of one part and everything
    /// else is equal; empty where they are not a pair.
    fn differences(&self, a: usize, b: usize, key: usize) -> Vec<Differing<'s>> {
        let (Some(of_a), Some(of_b)) = (self.fingerprints.get(a), self.fingerprints.get(b)) else {
            return Vec::new();
        };
        let of_engine = Some(key) == self.engine;
        let rest = |setup: usize| {
            let parts = self.prints.get(setup).copied().unwrap_or_default();
            let left_out = |part: &&PartNumber| {
                part.key == key || (of_engine && Some(part.key) == self.container)
            };
            parts.iter().filter(move |part| !left_out(part))
        };
        if !rest(a).eq(rest(b)) {
            return Vec::new();
        }
        let options = |setup| self.container.and_then(|key| self.text(setup, key));
        if of_engine && of_a.contained == of_b.contained && options(a) != options(b) {
            return Vec::new();
        }
        let id = self.setups.fingerprints.keys.get(key);
        id.map_or_else(Vec::new, |id| clear_differences(id, of_a, of_b))
    }

    fn find(mut self) -> ControlledPairs {
        let mut not_listed = 0;
        let mut found: Vec<Found> = Vec::new();
        let mut orders: BTreeMap<(usize, Option<usize>), Order> = BTreeMap::new();
        for ((key, _), mut ladder) in self.buckets() {
            for setup in &ladder {
                let text = self.text(*setup, key);
                orders
                    .entry((key, text))
                    .or_insert_with(|| self.order(*setup, key));
            }
            ladder.sort_by(|x, y| {
                let order = |setup: &usize| orders.get(&(key, self.text(*setup, key)));
                (order(x), x).cmp(&(order(y), y))
            });
            not_listed += self.pairs_of(key, &ladder, &mut found);
        }
        // The order must not depend on how buckets are numbered.
        let name = |found: &Found| {
            let (first, last) = (found.from.min(found.to), found.from.max(found.to));
            (found.place, first, last)
        };
        found.sort_by_key(name);
        let mut pages: BTreeMap<usize, usize> = BTreeMap::new();
        let mut groups: BTreeMap<(ThingKind, Order, Order, String), ChangeGroup> = BTreeMap::new();
        for Found {
            from,
            to,
            key,
            place,
        } in found
        {
            let Some(kind) = self.kind(from, key).or_else(|| self.kind(to, key)) else {
                continue;
            };
            let differences = self.differences(from, to, key);
            let (change, of_from, of_to) = self.change(kind, from, to, &differences);
            let few = |setup: &usize| pages.get(setup).is_none_or(|n| *n < PAGES_A_RUN);
            let mut page = None;
            if place != Place::Others && few(&from) && few(&to) {
                *pages.entry(from).or_default() += 1;
                *pages.entry(to).or_default() += 1;
                page = self.page(from, to);
            }
            let band = self.setups.noise_between(from, to).tok_per_s;
            let pair = Pair {
                from,
                to,
                place,
                page,
                effect: self.effect(from, to, band),
                band,
            };
            // However the engine is spelled.
            let label = change.label.to_lowercase();
            let group = groups
                .entry((kind.clone(), of_from, of_to, label))
                .or_insert_with(|| ChangeGroup {
                    change,
                    pairs: Vec::new(),
                    effect: None,
                });
            group.pairs.push(pair);
        }
        let groups = groups.into_values().map(|mut group| {
            group.pairs.sort_by_key(|pair| (pair.from, pair.to));
            group.effect = Effect::of(&group.pairs);
            group
        });
        ControlledPairs {
            groups: groups.collect(),
            not_listed,
        }
    }

    /// The pairs of setups that are equal but for one part, in the order of its values. Returns at
    /// most how many more there are.
    fn pairs_of(&self, key: usize, ladder: &[usize], found: &mut Vec<Found>) -> usize {
        let mut listed: BTreeSet<(usize, usize)> = BTreeSet::new();
        let mut add = |x: usize, y: usize, place: Place| {
            let (Some(from), Some(to)) = (ladder.get(x), ladder.get(y)) else {
                return false;
            };
            if listed.contains(&(x, y)) {
                return true;
            }
            let pair = !self.differences(*from, *to, key).is_empty();
            if pair {
                listed.insert((x, y));
                found.push(Found {
                    from: *from,
                    to: *to,
                    key,
                    place,
                });
            }
            pair
        };
        let n = ladder.len();
        for x in 0..n {
            let mut ahead = (x + 1..n).take(REACH);
            ahead.any(|y| add(x, y, Place::Neighbours));
        }
        add(0, n - 1, Place::Ends);
        if n <= ALL_PAIRS_OF {
            for x in 0..n {
                for y in x + 1..n {
                    add(x, y, Place::Others);
                }
            }
            return 0;
        }
        n * (n - 1) / 2 - listed.len()
    }

    fn page(&self, from: usize, to: usize) -> Option<(usize, usize)> {
        let newest = |setup: usize| Some(self.setups.all().get(setup)?.newest());
        let (x, y) = (newest(from)?, newest(to)?);
        let run = |at: usize| Some(self.setups.subjects().get(at)?.run());
        let (run_x, run_y) = (run(x)?, run(y)?);
        let (first, _) = in_order(run_x, run_y);
        Some(if std::ptr::eq(first, run_x) {
            (x, y)
        } else {
            (y, x)
        })
    }

    fn effect(&mut self, from: usize, to: usize, band: f64) -> Summary {
        for setup in [from, to] {
            let setups = self.setups;
            self.matrices
                .entry(setup)
                .or_insert_with(|| Matrix::of(&setups.subjects_of(setup)));
        }
        match (self.matrices.get(&from), self.matrices.get(&to)) {
            (Some(a), Some(b)) => a.against(b, band),
            _ => Summary::default(),
        }
    }

    /// What changes, with what its values are sorted by.
    fn change(
        &self,
        kind: &ThingKind,
        from: usize,
        to: usize,
        differences: &[Differing],
    ) -> (Change, Order, Order) {
        const NOT_SET: &str = "not set";
        let by_key = |wanted: &str| differences.iter().find(|(key, ..)| *key == wanted);
        let main = primary(kind).iter().find_map(|wanted| by_key(wanted));
        let only = match differences {
            [only] => Some(only),
            _ => None,
        };
        let text = |item: Option<&Item>| item.map_or(NOT_SET.to_owned(), |i| i.shown.clone());
        let mut shown: Vec<&Differing> = match main.or(only) {
            Some(one) => vec![one],
            None => differences.iter().collect(),
        };
        let mut label = kind.label();
        let mut label_last = false;
        let engine = |setup: usize| {
            let part = self.fingerprints.get(setup)?.parts.get(&kind.id())?;
            let of = |key: &str| part.items.get(key).map(|item| item.shown.clone());
            Some((of("engine.name"), of("engine.version")))
        };
        let mut sides = None;
        match (kind, shown.as_slice()) {
            (ThingKind::Engine, [("engine.name" | "program", a, b)]) => {
                let side = |setup: usize, item: &Option<&Item>| {
                    let (name, version) = engine(setup).unwrap_or_default();
                    let name = name.unwrap_or_else(|| text(*item));
                    let parts = [Some(name), version].into_iter().flatten();
                    parts.collect::<Vec<_>>().join(" ")
                };
                sides = Some((side(from, a), side(to, b)));
            }
            (ThingKind::Engine, [(key, a, b)]) => {
                let name = engine(from).and_then(|(name, _)| name).unwrap_or(label);
                let item = a.or(*b).map_or("", |item| item.name.as_str());
                label = match *key {
                    "engine.version" => name,
                    _ => format!("{name} {}", lower_first(item)),
                };
            }
            (ThingKind::GpuCount, [("hardware.gpu_count", ..)]) => {
                label = "GPUs".to_owned();
                label_last = true;
            }
            (ThingKind::Speculative, [(key, ..)]) if key.contains("tokens") => {
                label = "speculative tokens".to_owned();
            }
            (ThingKind::Speculative, [_, _, ..]) => {
                // How many tokens another method guesses is another thing to know.
                shown.sort_by_key(|(key, ..)| {
                    let method = key.contains("method") || key.contains("algorithm");
                    (!method, *key)
                });
            }
            (
                ThingKind::Gpu | ThingKind::Model | ThingKind::Quantization | ThingKind::Tool,
                [_],
            ) if main.is_some() => {}
            (ThingKind::Fact(_), _) => {}
            (_, [(_, a, b)]) => {
                label = match a.or(*b) {
                    Some(item) if item.fact.is_none() => item.name.clone(),
                    Some(item) => lower_first(&item.name),
                    None => label,
                };
            }
            _ => {}
        }
        let before: Vec<&Item> = shown.iter().filter_map(|(_, item, _)| *item).collect();
        let after: Vec<&Item> = shown.iter().filter_map(|(.., item)| *item).collect();
        let join = |items: &[&Item]| {
            let items: Vec<&str> = items.iter().map(|item| item.shown.as_str()).collect();
            match items.as_slice() {
                [] => NOT_SET.to_owned(),
                items => items.join(" "),
            }
        };
        let (of_from, of_to) = sides.unwrap_or_else(|| (join(&before), join(&after)));
        let order = |items: &[&Item]| Order {
            first: items.iter().map(|item| natural(Some(kind), item)).collect(),
            date: (false, 0),
            all: items
                .iter()
                .map(|item| (String::new(), item.value.clone()))
                .collect(),
        };
        let (mut order_from, mut order_to) = (order(&before), order(&after));
        // Of another engine its version belongs to the value.
        if let (ThingKind::Engine, Some(("engine.name" | "program", ..))) = (kind, main) {
            order_from.first.push(Natural::of(&of_from));
            order_to.first.push(Natural::of(&of_to));
        }
        let change = Change {
            thing: kind.clone(),
            label,
            from: of_from,
            to: of_to,
            label_last,
        };
        (change, order_from, order_to)
    }
}

/// What a value of a thing is sorted by: versions as versions, decimal numbers as numbers.
fn natural(kind: Option<&ThingKind>, item: &Item) -> Natural {
    match kind {
        Some(ThingKind::Engine | ThingKind::Tool | ThingKind::Fact(Fact::Driver | Fact::Os)) => {
            Natural::of(&item.value)
        }
        _ => Natural::value(&item.value),
    }
}

/// The items that say what a change is, whatever else of the thing changes with them: the first
/// that differs counts.
fn primary(kind: &ThingKind) -> &'static [&'static str] {
    match kind {
        ThingKind::Model => &["model"],
        ThingKind::Gpu => &["hardware.gpu"],
        ThingKind::GpuCount => &["hardware.gpu_count"],
        ThingKind::Quantization => &["engine.quantization", "setting quantization"],
        ThingKind::Engine => &[
            "engine.name",
            "program",
            "engine.version",
            "engine.commit",
            "image",
            "engine.image",
        ],
        ThingKind::Tool => &["method.tool", "method.tool_version"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use crate::run::Fact;

    #[test]
    fn keys_of_primary_items_are_those_of_facts() {
        for (fact, key) in [
            (Fact::Gpu, "hardware.gpu"),
            (Fact::GpuCount, "hardware.gpu_count"),
            (Fact::EngineName, "engine.name"),
            (Fact::EngineVersion, "engine.version"),
            (Fact::Commit, "engine.commit"),
            (Fact::Image, "engine.image"),
            (Fact::Quantization, "engine.quantization"),
            (Fact::Tool, "method.tool"),
            (Fact::ToolVersion, "method.tool_version"),
        ] {
            assert_eq!(fact.path(), key);
        }
    }
}
