//! Which output has which path: two that want one, also if only the case differs (many hosts and
//! disks take such names for the same), and a file that stands where another needs a folder.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Code, Diagnostic, Place};

/// What wants to have paths.
#[derive(Clone, Debug)]
pub(super) struct Claim {
    /// Where it comes from: a file, or the address of a page that no file asks for.
    pub place: Place,
    /// "a run", "an image": for messages.
    pub what: &'static str,
    /// Its address as readers know it: `/runs/a/`, `/logo.png`.
    pub address: String,
    /// Its files below the output folder.
    pub files: Vec<String>,
}

/// All claims of a site.
#[derive(Debug, Default)]
pub(super) struct Claims {
    all: Vec<Claim>,
}

const ALIAS: &str = "an alias";

impl Claims {
    /// Adds something.
    pub fn add(&mut self, claim: Claim) {
        self.all.push(claim);
    }

    /// Adds an alias, written at a place: from slash to slash, or to the name of a file.
    pub fn alias(&mut self, alias: &str, place: Place, file: String) {
        self.add(Claim {
            place,
            what: ALIAS,
            address: alias.to_owned(),
            files: vec![file],
        });
    }

    /// Everything that wants what another one has.
    pub fn clashes(&self) -> Vec<Diagnostic> {
        let mut files: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        let mut folders: BTreeMap<String, Vec<usize>> = BTreeMap::new();
        for (at, claim) in self.all.iter().enumerate() {
            for file in &claim.files {
                let key = file.to_lowercase();
                for (end, _) in key.match_indices('/') {
                    let folder = key.get(..end).unwrap_or_default();
                    match folders.get_mut(folder) {
                        Some(users) if users.last() == Some(&at) => {}
                        Some(users) => users.push(at),
                        None => {
                            folders.insert(folder.to_owned(), vec![at]);
                        }
                    }
                }
                files.entry(key).or_default().push(at);
            }
        }
        let mut sets: BTreeSet<Vec<usize>> = BTreeSet::new();
        for (path, owners) in &files {
            let below = folders.get(path).into_iter().flatten();
            let mut set: Vec<usize> = owners.iter().chain(below).copied().collect();
            set.sort_unstable();
            set.dedup();
            if set.len() > 1 {
                sets.insert(set);
            }
        }
        sets.into_iter()
            .flat_map(|set| self.problems(&set))
            .collect()
    }

    fn problems(&self, set: &[usize]) -> Vec<Diagnostic> {
        let claims = set.iter().filter_map(|at| self.all.get(*at));
        let (aliases, others): (Vec<&Claim>, Vec<&Claim>) =
            claims.partition(|claim| claim.what == ALIAS);
        let mut problems = Vec::new();
        if others.len() > 1 {
            problems.push(clash(others.clone()));
        }
        match (others.as_slice(), aliases.as_slice()) {
            ([], [first, rest @ ..]) => {
                let message = format!("the alias {} stands twice", first.address);
                let mut problem = Diagnostic::new(Code::AliasTwice, first.place.clone(), message)
                    .help("leave it to one of the pages");
                for other in rest {
                    problem = problem.also(other.place.clone(), same(other, first));
                }
                problems.push(problem);
            }
            ([hidden, ..], aliases) => problems.extend(aliases.iter().map(|alias| {
                let message = format!("the alias {} would hide {}", alias.address, hidden.what);
                Diagnostic::new(Code::AliasHides, alias.place.clone(), message)
                    .also(hidden.place.clone(), format!("has {}", hidden.address))
                    .help("remove the alias, or give it another path")
            })),
            _ => {}
        }
        problems
    }
}

/// Outputs with one address; files that someone wrote are named first.
fn clash(mut claims: Vec<&Claim>) -> Diagnostic {
    claims.sort_by_key(|claim| (claim.place.path.starts_with('/'), &claim.place));
    let runs_only = claims.iter().all(|claim| claim.what == "a run");
    let what = if runs_only { "runs" } else { "outputs" };
    let (Some(first), rest) = (claims.first(), claims.get(1..).unwrap_or_default()) else {
        return Diagnostic::new(Code::AddressClash, Place::default(), "");
    };
    let message = format!("{} {what} have the address {}", claims.len(), first.address);
    let help = if claims.iter().any(|claim| claim.what == "a run") {
        "give one of them another name, or a `slug` in its sidecar"
    } else {
        "give one of them another name"
    };
    let mut problem = Diagnostic::new(Code::AddressClash, first.place.clone(), message).help(help);
    for other in rest {
        let what = match same(other, first) {
            words if runs_only => words,
            words => format!("{} {words}", other.what),
        };
        problem = problem.also(other.place.clone(), what);
    }
    problem
}

/// How the address of one thing is that of another.
fn same(other: &Claim, first: &Claim) -> String {
    if other.address == first.address {
        "has the same one".to_owned()
    } else if other.address.to_lowercase() == first.address.to_lowercase() {
        format!("has {}, the same but for the case", other.address)
    } else {
        format!("has {}, which cannot stand beside it", other.address)
    }
}
