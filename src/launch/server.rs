//! Which of a text's commands starts the server, and where its arguments begin: through wrappers,
//! containers, interpreters and shells.

use super::programs::{CONTAINERS, IMAGES, MODULES, PROGRAMS, SHELLS, WRAPPERS};
use super::table::CONTAINER_SWITCHES;
use super::{LaunchCommand, Simple};

/// The command that starts a server.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Server {
    /// `vllm`, `sglang`, `llama.cpp`…
    pub engine: &'static str,
    /// The program as people say it: `vllm serve`, `llama-server`.
    pub program: String,
    /// The words after it.
    pub args: Vec<String>,
    /// Variables that it is started with, from exports, prefixes and the container's options.
    pub environment: Vec<(String, String)>,
    /// The container's image.
    pub image: Option<String>,
    /// The container's options.
    pub container: Vec<String>,
}

/// Where the parts of a command stand, as indices of words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Layout {
    pub(super) engine: &'static str,
    /// The program; equal to `args` where the image is the program.
    pub(super) program: usize,
    /// The first argument.
    pub(super) args: usize,
    /// The container's image, or the name of a running container.
    pub(super) image: Option<usize>,
    /// Whether `image` names a running container (`docker exec`).
    pub(super) running: bool,
    /// The first of the container's options.
    pub(super) container: Option<usize>,
}

/// Deepest nesting of shells in shells.
const DEEPEST: usize = 3;

/// The command that starts the server.
pub(super) fn find(command: &LaunchCommand) -> Option<Server> {
    find_nested(command, 0)
}

fn find_nested(command: &LaunchCommand, depth: usize) -> Option<Server> {
    let mut environment: Vec<(String, String)> = Vec::new();
    for simple in command.commands() {
        let words: Vec<&str> = simple.words.iter().map(|w| w.value.as_str()).collect();
        let own = simple.assignments.iter().map(|w| w.value.as_str());
        let own: Vec<_> = own.filter_map(pair).collect();
        if simple.words.is_empty() {
            environment.extend(own);
            continue;
        }
        if matches!(words.first(), Some(&("export" | "declare" | "set"))) {
            environment.extend(words.iter().copied().filter_map(pair));
            continue;
        }
        let found = match layout(&words) {
            Some(layout) => Some(assemble(&words, &layout)),
            None if depth < DEEPEST => in_shell(&words, depth),
            None => None,
        };
        if let Some(mut server) = found {
            environment.extend(own);
            environment.append(&mut server.environment);
            server.environment = environment;
            return Some(server);
        }
    }
    None
}

/// Where things stand in a simple command.
pub(super) fn layout_of(simple: &Simple) -> Option<Layout> {
    let words: Vec<&str> = simple.words.iter().map(|w| w.value.as_str()).collect();
    layout(&words).or_else(|| {
        let container = container(&words)?;
        Some(Layout {
            engine: "",
            program: words.len(),
            args: words.len(),
            ..container
        })
    })
}

fn layout(words: &[&str]) -> Option<Layout> {
    if let Some((engine, args)) = engine_at(words, 0) {
        return Some(Layout {
            engine,
            args,
            ..Layout::default()
        });
    }
    if let Some(found) = container(words) {
        let image = found.image?;
        let inside = (image + 1..words.len()).find_map(|at| Some((at, engine_at(words, at)?)));
        if let Some((program, (engine, args))) = inside {
            return Some(Layout {
                engine,
                program,
                args,
                ..found
            });
        }
        if let Some((engine, args)) = entry_point(words, &found, image) {
            return Some(Layout {
                engine,
                program: image + 1,
                args: image + args,
                ..found
            });
        }
        let shells = words
            .iter()
            .skip(image + 1)
            .any(|w| SHELLS.contains(&base(w)));
        let name = words.get(image)?.to_ascii_lowercase();
        let name = name.split(['@']).next().unwrap_or_default();
        let engine = IMAGES.iter().find(|(part, _)| name.contains(part))?.1;
        return (!shells).then_some(Layout {
            engine,
            program: image + 1,
            args: image + 1,
            ..found
        });
    }
    if !WRAPPERS.contains(&base(words.first()?)) {
        return None;
    }
    (1..words.len()).find_map(|program| {
        let (engine, args) = engine_at(words, program)?;
        Some(Layout {
            engine,
            program,
            args,
            ..Layout::default()
        })
    })
}

/// Engine and first argument (counted from the image) where `--entrypoint` names the program.
fn entry_point(words: &[&str], found: &Layout, image: usize) -> Option<(&'static str, usize)> {
    let from = found.container?;
    let options = words.get(from..image)?;
    let program = options.iter().enumerate().find_map(|(at, option)| {
        let glued = option.strip_prefix("--entrypoint=");
        glued.or_else(|| {
            options
                .get(at + 1)
                .copied()
                .filter(|_| *option == "--entrypoint")
        })
    })?;
    let mut command = vec![program];
    command.extend(words.get(image + 1..)?);
    engine_at(&command, 0)
}

/// Image and options of `docker run`, behind any wrapper.
fn container(words: &[&str]) -> Option<Layout> {
    let at = words.iter().position(|w| CONTAINERS.contains(&base(w)))?;
    let wrapped = words.iter().take(at).enumerate().all(|(i, w)| {
        (i == 0 && WRAPPERS.contains(&base(w)))
            || (i > 0 && (w.starts_with('-') || w.contains('=')))
    });
    let verb = words
        .iter()
        .skip(at + 1)
        .position(|w| matches!(*w, "run" | "exec" | "create" | "start"))?;
    if !wrapped || verb > 2 {
        return None;
    }
    let first = at + verb + 2;
    let mut image = first;
    while let Some(word) = words.get(image) {
        if !word.starts_with('-') {
            break;
        }
        image += if container_takes_value(word) { 2 } else { 1 };
    }
    (image < words.len()).then_some(Layout {
        image: Some(image),
        running: words.get(at + verb + 1) == Some(&"exec")
            && base(words.get(at)?) != "singularity"
            && base(words.get(at)?) != "apptainer",
        container: Some(first),
        ..Layout::default()
    })
}

/// Whether an option of `docker run` takes the next word as its value.
pub(super) fn container_takes_value(word: &str) -> bool {
    if word.starts_with("--") {
        return !word.contains('=') && !CONTAINER_SWITCHES.contains(&word);
    }
    let letters = word.trim_start_matches('-');
    let switches = letters.chars().all(|c| "ditPq".contains(c));
    !switches && letters.chars().count() == 1
        || (letters.chars().count() > 1
            && letters.chars().rev().skip(1).all(|c| "ditPq".contains(c))
            && !switches)
}

/// The last part of a path, without `.exe`.
pub(super) fn base(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").unwrap_or(name)
}

/// Engine and first argument, where a server's program stands at `at`.
fn engine_at(words: &[&str], at: usize) -> Option<(&'static str, usize)> {
    let word = words.get(at)?;
    let name = base(word);
    let next = words.get(at + 1).copied();
    if let Some((program, verbs, engine)) = PROGRAMS.iter().find(|(p, ..)| *p == name) {
        let verb = next.is_some_and(|next| verbs.contains(&next));
        let needed = !verbs.is_empty() && *program != "trtllm-serve";
        if needed && !verb {
            return None;
        }
        let mut args = at + 1 + usize::from(verb);
        if *engine == "lmdeploy" && words.get(args) == Some(&"api_server") {
            args += 1;
        }
        return Some((engine, args));
    }
    if name == "server" && word.contains("llama") {
        return Some(("llama.cpp", at + 1));
    }
    let interpreter = name
        .strip_prefix("python")
        .is_some_and(|rest| rest.chars().all(|c| c.is_ascii_digit() || c == '.'));
    if !interpreter {
        return None;
    }
    let mut script = at + 1;
    while let Some(option) = words.get(script).filter(|w| w.starts_with('-')) {
        if *option == "-m" {
            let module = words.get(script + 1)?;
            let engine = MODULES.iter().find(|(name, _)| name == module)?.1;
            return Some((engine, script + 2));
        }
        script += if matches!(*option, "-X" | "-W") { 2 } else { 1 };
    }
    let path = words.get(script)?;
    match base(path) {
        "api_server.py" if path.contains("vllm") => Some(("vllm", script + 1)),
        "launch_server.py" => Some(("sglang", script + 1)),
        _ => engine_at(words, script),
    }
}

fn assemble(words: &[&str], layout: &Layout) -> Server {
    let text = |from: usize, to: usize| -> Vec<String> {
        let count = to.saturating_sub(from);
        words
            .iter()
            .skip(from)
            .take(count)
            .map(|w| (*w).to_owned())
            .collect()
    };
    let options = match (layout.container, layout.image) {
        (Some(from), Some(image)) => text(from, image),
        _ => Vec::new(),
    };
    let mut environment = Vec::new();
    let mut expects = false;
    for option in &options {
        let value = option
            .strip_prefix("--env=")
            .or_else(|| option.strip_prefix("-e").filter(|rest| !rest.is_empty()))
            .or(expects.then_some(option.as_str()));
        environment.extend(value.and_then(pair));
        expects = matches!(option.as_str(), "-e" | "--env");
    }
    // `env NAME=value program`, `sudo NAME=value program`.
    let before = if layout.image.is_some() {
        0
    } else {
        layout.program
    };
    environment.extend(words.iter().take(before).copied().filter_map(pair));
    let program: Vec<&str> = text_of(words, layout.program, layout.args);
    Server {
        engine: layout.engine,
        program: program.join(" "),
        args: text(layout.args, words.len()),
        environment,
        image: layout
            .image
            .filter(|_| !layout.running)
            .and_then(|at| words.get(at))
            .map(|w| (*w).to_owned()),
        container: options,
    }
}

/// The words of a program, its path cut to its name.
fn text_of<'a>(words: &[&'a str], from: usize, to: usize) -> Vec<&'a str> {
    let all = words
        .iter()
        .skip(from)
        .take(to.saturating_sub(from))
        .copied();
    all.enumerate()
        .map(|(i, w)| if i == 0 { base(w) } else { w })
        .collect()
}

/// A server that is started by a shell's `-c`, or by a text that is handed to a wrapper.
fn in_shell(words: &[&str], depth: usize) -> Option<Server> {
    let shell = words.iter().position(|w| SHELLS.contains(&base(w)));
    let first = base(words.first()?);
    let outer = container(words);
    let reachable = SHELLS.contains(&first) || WRAPPERS.contains(&first) || outer.is_some();
    if !reachable {
        return None;
    }
    let texts = words.iter().skip(shell.map_or(1, |at| at + 1));
    let mut server = texts
        .filter(|w| w.contains([' ', '\n']) && !w.starts_with('-'))
        .find_map(|text| find_nested(&LaunchCommand::parse(text), depth + 1))?;
    if let Some(layout) = outer {
        let around = assemble(words, &layout);
        server.image = server.image.or(around.image);
        server.container = around.container;
        let mut environment = around.environment;
        environment.append(&mut server.environment);
        server.environment = environment;
    }
    Some(server)
}

/// Name and value of `NAME=value`.
fn pair(word: &str) -> Option<(String, String)> {
    let (name, value) = word.split_once('=')?;
    super::is_name(name).then(|| (name.to_owned(), value.to_owned()))
}
