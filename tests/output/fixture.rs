//! A site in a temporary folder, sites to build into it, and a second process that builds.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fs_err as fs;
use speedbook::output::{OutputError, OutputPlace, Rehearsal, Stage, Step, Written, work_folder};

/// Files of a site, by path.
pub type Site = BTreeMap<String, Vec<u8>>;

/// One thing in a folder.
#[derive(Clone, PartialEq, Eq)]
pub enum Thing {
    Folder,
    File(Vec<u8>),
    Link(PathBuf),
}

/// All that is in a folder, by path.
pub type Tree = BTreeMap<String, Thing>;

/// A site's folder.
pub struct Home {
    _dir: Option<tempfile::TempDir>,
    pub root: PathBuf,
}

impl Home {
    pub fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("site");
        let home = Self::at(&root);
        Self {
            _dir: Some(dir),
            ..home
        }
    }

    /// A site's folder at a given place, which somebody else removes.
    pub fn at(root: &Path) -> Self {
        fs::create_dir_all(root.join("content")).unwrap();
        Self {
            _dir: None,
            root: fs::canonicalize(root).unwrap(),
        }
    }

    pub fn path(&self, path: &str) -> PathBuf {
        self.root.join(path)
    }

    pub fn output(&self) -> PathBuf {
        self.path("public")
    }

    pub fn place(&self) -> OutputPlace {
        self.place_at("public")
    }

    pub fn place_at(&self, output: &str) -> OutputPlace {
        OutputPlace {
            output: self.path(output),
            root: self.root.clone(),
            content: self.path("content"),
        }
    }

    /// Puts a file, or a folder with it, somewhere in the site's folder.
    pub fn put(&self, path: &str, bytes: &str) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn build(&self, site: &Site) -> Result<Written, OutputError> {
        build(&self.place(), site, Rehearsal::none(), 1)
    }

    pub fn tree(&self) -> Tree {
        tree(&self.output())
    }

    /// What is in the work folder besides what always stays.
    pub fn remains(&self) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(work_folder(&self.output()))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name != "lock" && name != ".gitignore")
            .collect();
        names.sort();
        names
    }

    /// Builds and checks that the folder is as it must be, and that nothing is left beside it.
    pub fn build_cleanly(&self, site: &Site, expected: &Tree) {
        let written = self.build(site).unwrap();
        assert_eq!(written.remains, Vec::<String>::new());
        assert_same(&self.tree(), expected, "after the next build");
        assert_eq!(self.remains(), Vec::<String>::new());
    }

    /// The dot files of a repository, as somebody else puts them into the output folder.
    pub fn put_repository(&self) {
        self.put("public/.git/HEAD", "ref: refs/heads/gh-pages\n");
        self.put("public/.git/objects/ab/cdef", "an object");
        self.put("public/.git/objects/pack/big.pack", "a pack");
        self.put("public/CNAME", "bench.example\n");
        #[cfg(unix)]
        {
            let link = self.path("public/.git/link");
            let _ = fs::remove_file(&link);
            fs::os::unix::fs::symlink("../../outside", link).unwrap();
        }
    }
}

/// Builds a site with a number of threads.
pub fn build(
    place: &OutputPlace,
    site: &Site,
    rehearsal: Rehearsal,
    threads: usize,
) -> Result<Written, OutputError> {
    let stage = Stage::begin_with(place, rehearsal)?;
    let files: Vec<(&String, &Vec<u8>)> = site.iter().collect();
    std::thread::scope(|scope| {
        let parts = files.chunks(files.len().div_ceil(threads).max(1));
        let builders: Vec<_> = parts
            .map(|part| {
                let stage = &stage;
                scope.spawn(move || {
                    part.iter()
                        .try_for_each(|(path, bytes)| stage.write(path, bytes))
                })
            })
            .collect();
        builders.into_iter().try_for_each(|b| b.join().unwrap())
    })?;
    stage.commit()
}

/// A small site.
pub fn site(files: &[(&str, &str)]) -> Site {
    files
        .iter()
        .map(|(path, text)| ((*path).to_owned(), text.as_bytes().to_vec()))
        .collect()
}

/// A site of 200 runs of four files each: see [`versioned_site`].
pub fn big_site(version: char) -> Site {
    versioned_site(version, 200)
}

/// A site of 20 runs of four files each: see [`versioned_site`].
pub fn small_site(version: char) -> Site {
    versioned_site(version, 20)
}

/// A site of which version `a` and `b` share half of the runs, have others with other bytes, and a
/// tenth that only they have.
fn versioned_site(version: char, runs: usize) -> Site {
    let mut site = Site::new();
    site.insert(".nojekyll".into(), Vec::new());
    site.insert("index.html".into(), format!("<p>{version}").into_bytes());
    for run in 0..runs {
        let (name, text) = match run * 10 / runs {
            0..5 => (format!("shared-{run}"), String::new()),
            5..9 => (format!("changed-{run}"), format!("{version}{run}")),
            _ => (format!("only-{version}-{run}"), String::new()),
        };
        for file in ["index.html", "index.md", "run.json", "measurements.csv"] {
            let bytes = format!("{name} {file} {text} ").repeat(40).into_bytes();
            site.insert(format!("runs/{name}/{file}"), bytes);
        }
    }
    site
}

/// All that is in a folder; empty where there is none.
pub fn tree(folder: &Path) -> Tree {
    fn walk(folder: &Path, prefix: &str, tree: &mut Tree) {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let path = format!("{prefix}{}", entry.file_name().into_string().unwrap());
            let kind = entry.file_type().unwrap();
            let thing = if kind.is_symlink() {
                Thing::Link(fs::read_link(entry.path()).unwrap())
            } else if kind.is_dir() {
                walk(&entry.path(), &format!("{path}/"), tree);
                Thing::Folder
            } else {
                Thing::File(fs::read(entry.path()).unwrap())
            };
            tree.insert(path, thing);
        }
    }
    let mut tree = Tree::new();
    if folder.exists() {
        walk(folder, "", &mut tree);
    }
    tree
}

/// The first difference between two trees, in words.
pub fn difference(found: &Tree, expected: &Tree) -> Option<String> {
    expected
        .keys()
        .chain(found.keys())
        .find(|path| found.get(*path) != expected.get(*path))
        .map(|path| {
            let state = |tree: &Tree| match tree.get(path) {
                None => "missing".to_owned(),
                Some(Thing::Folder) => "a folder".to_owned(),
                Some(Thing::Link(to)) => format!("a link to {}", to.display()),
                Some(Thing::File(bytes)) => format!("a file of {} bytes", bytes.len()),
            };
            format!("{path}: {}, expected {}", state(found), state(expected))
        })
}

pub fn assert_same(found: &Tree, expected: &Tree, when: &str) {
    if let Some(difference) = difference(found, expected) {
        panic!("{when}: {difference}");
    }
}

/// What the folder holds after a build of a site beside the dot files of [`Home::put_repository`].
pub fn expected_tree(site: &Site) -> Tree {
    let home = Home::new();
    home.put_repository();
    home.build(site).unwrap();
    home.tree()
}

/// What the second process is told: see [`child_writer`].
const ROOT: &str = "SPEEDBOOK_TEST_ROOT";
const TASK: &str = "SPEEDBOOK_TEST_TASK";
const EXCHANGE: &str = "SPEEDBOOK_TEST_EXCHANGE";

/// Starts a second process that builds into the output of a site.
pub fn child(home: &Home, task: &str, exchange: bool) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "fixture::child_writer", "--nocapture"])
        .env(ROOT, &home.root)
        .env(TASK, task)
        .env(EXCHANGE, exchange.to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::null());
    command
}

pub fn start(home: &Home, task: &str, exchange: bool) -> Child {
    child(home, task, exchange).spawn().unwrap()
}

/// The second process. As a test of the suite it does nothing.
#[test]
fn child_writer() {
    let (Some(root), Ok(task), Ok(exchange)) = (
        std::env::var_os(ROOT),
        std::env::var(TASK),
        std::env::var(EXCHANGE),
    ) else {
        return;
    };
    let home = Home::at(Path::new(&root));
    let exchange = exchange == "true";
    let (verb, object) = task.split_once(' ').unwrap();
    let end_at = move |end: String| {
        Rehearsal {
            exchange,
            ..Rehearsal::watched(move |step: Step| {
                if step.name() == end {
                    // As a killed process: nothing is cleaned up.
                    std::process::exit(7);
                }
                Ok(())
            })
        }
    };
    match verb {
        "end-at" => {
            build(
                &home.place(),
                &small_site('b'),
                end_at(object.to_owned()),
                1,
            )
            .unwrap();
        }
        "build" => {
            let version = object.chars().next().unwrap();
            if let Err(error) = home.build(&big_site(version)) {
                eprintln!("{error}");
                std::process::exit(2);
            }
        }
        "alternate" => {
            let sites = [big_site('a'), big_site('b')];
            for site in sites.iter().cycle() {
                build(&home.place(), site, end_at(String::new()), 2).unwrap();
            }
        }
        _ => panic!("unknown task {task}"),
    }
}
