//! Themes: what takes the place of what, what is said of wrong templates, and that the second theme
//! and the documentation hold what they promise.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use scraper::{Html, Selector};
use speedbook::render::view::fields::{Field, catalogue};

const HERE: &str = env!("CARGO_MANIFEST_DIR");

const RUN: &str = r#"{"schema":"speedbook.run/1","slug":"SLUG","title":"A run","prefill":[],"burst":[],"decode":[{"context_label":"8K","concurrency":1,"status":"valid","total_tok_per_s":82.9}]}"#;

fn generate(args: &[&str], root: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_gen"))
        .args(args)
        .current_dir(root)
        .output()
        .unwrap()
}

fn put(root: &Path, path: &str, text: &str) {
    let path = root.join(path);
    fs_err::create_dir_all(path.parent().unwrap()).unwrap();
    fs_err::write(path, text).unwrap();
}

/// A site of two runs with these files beside it.
fn site(files: &[(&str, &str)]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for slug in ["one", "two"] {
        let path = format!("content/runs/{slug}.json");
        put(dir.path(), &path, &RUN.replace("SLUG", slug));
    }
    for (path, text) in files {
        put(dir.path(), path, text);
    }
    dir
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

/// What a build that must succeed says.
fn built(dir: &Path, args: &[&str]) -> String {
    let output = generate(&[&["build"], args].concat(), dir);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    stderr(&output)
}

/// What a build says that must fail for something in the user's files, and leave the old site.
fn refused(dir: &Path) -> String {
    let before = tree(&dir.join("public"));
    let output = generate(&["build"], dir);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(tree(&dir.join("public")) == before, "the old site stays");
    assert!(stderr(&output).contains("the site is as it was before"));
    stderr(&output)
}

/// All files below a folder, by their path; none where it is not there.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in walkdir::WalkDir::new(folder).into_iter().flatten() {
        if entry.file_type().is_file() {
            let path = entry.path().strip_prefix(folder).unwrap();
            let bytes = fs_err::read(entry.path()).unwrap();
            files.insert(path.to_str().unwrap().to_owned(), bytes);
        }
    }
    files
}

fn text(dir: &Path, path: &str) -> String {
    fs_err::read_to_string(dir.join("public").join(path)).unwrap()
}

/// The link to the first stylesheet of a page, which is that of all pages.
fn stylesheet(page: &str) -> String {
    let sheets = Selector::parse("link[rel=stylesheet]").unwrap();
    let page = Html::parse_document(page);
    let mut sheets = page.select(&sheets);
    sheets.next().unwrap().attr("href").unwrap().to_owned()
}

#[test]
fn the_plain_theme_has_the_same_content_and_no_script() {
    let dir = tempfile::tempdir().unwrap();
    let mut trees = Vec::new();
    for theme in ["default", "plain"] {
        let out = dir.path().join(theme);
        let args = ["build", "--quiet", "--strict", "--theme", theme, "--output"];
        let output = generate(
            &[&args[..], &[out.to_str().unwrap()]].concat(),
            Path::new(HERE),
        );
        assert!(output.status.success(), "{}", stderr(&output));
        trees.push(tree(&out));
    }
    let is_asset = |path: &&String| path.ends_with(".css") || path.ends_with(".js");
    let names = |tree: &BTreeMap<String, Vec<u8>>| -> BTreeSet<String> {
        tree.keys()
            .filter(|path| !is_asset(path))
            .cloned()
            .collect()
    };
    assert_eq!(names(&trees[0]), names(&trees[1]));
    // What the default theme's templates name is published with them, but linked by no page.
    let own = |path: &&String| !trees[0].contains_key(*path);
    let assets: Vec<&String> = trees[1].keys().filter(is_asset).filter(own).collect();
    assert_eq!(assets.len(), 1, "{assets:?}");
    assert!(trees[1][assets[0]].len() < 4096, "the stylesheet is small");

    let everything = Selector::parse("*").unwrap();
    let kept =
        Selector::parse("main section, main h1, main h2, main [id], main td, main dd, main li")
            .unwrap();
    let mut pages = 0;
    for (path, bytes) in &trees[1] {
        if !path.ends_with(".html") {
            assert!(
                is_asset(&path) || trees[0][path] == *bytes,
                "{path} is of no theme"
            );
            continue;
        }
        let page = |tree: &BTreeMap<String, Vec<u8>>| {
            Html::parse_document(std::str::from_utf8(&tree[path]).unwrap())
        };
        let (default, plain) = (page(&trees[0]), page(&trees[1]));
        for element in plain.select(&everything) {
            let script = element.value().name() == "script";
            let data = element.attr("type") == Some("application/ld+json");
            assert!(!script || data, "{path}: a script");
            if element.attr("rel") == Some("stylesheet") {
                let sheet = element.attr("href").unwrap();
                assert!(sheet.ends_with(assets[0].as_str()), "{path}: {sheet}");
            }
            for (name, value) in element.value().attrs() {
                assert!(!name.starts_with("on"), "{path}: {name}");
                assert!(!value.starts_with("javascript:"), "{path}: {value}");
            }
        }
        let content = |page: &Html| -> Vec<String> {
            page.select(&kept)
                .map(|element| {
                    let words: Vec<&str> = element.text().flat_map(str::split_whitespace).collect();
                    format!("{:?} {}", element.attr("id"), words.join(" "))
                })
                .collect()
        };
        assert_eq!(content(&default), content(&plain), "{path}");
        pages += 1;
    }
    assert!(pages >= 7);
}

#[test]
fn a_theme_that_is_not_there_is_wrong_use() {
    let dir = site(&[
        ("themes/plain/static/style.css", ""),
        ("themes/paper/static/style.css", ""),
    ]);
    for (args, toml) in [
        (vec!["build", "--theme", "plian"], ""),
        (vec!["build"], "theme = \"plian\"\n"),
    ] {
        put(dir.path(), "site.toml", toml);
        let output = generate(&args, dir.path());
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(
            stderr(&output),
            "error: there is no theme \"plian\": neither compiled in nor a folder themes/plian; did you mean \"plain\"?\nhelp: there are: default, paper, plain\n"
        );
    }
    put(dir.path(), "site.toml", "");
    for name in ["../themes/plain", ".", "a/b"] {
        let output = generate(&["build", "--theme", name], dir.path());
        assert_eq!(output.status.code(), Some(2), "{name}");
        assert!(stderr(&output).contains("without its path"), "{name}");
    }
    assert!(!dir.path().join("public").exists());
}

#[test]
fn files_are_taken_one_by_one_from_site_theme_and_default() {
    let dir = site(&[
        ("site.toml", "theme = \"mine\"\n"),
        (
            "themes/mine/templates/index.html",
            "theme's front {{ asset(name=\"style.css\") }} {{ asset(name=\"img/a b.png\") }}",
        ),
        ("themes/mine/templates/index.md", "theme's twin"),
        ("themes/mine/static/style.css", "theme's sheet"),
        ("themes/mine/static/img/a b.png", "theme's picture"),
        ("themes/mine/static/favicon.svg", "theme's icon"),
        ("themes/other/templates/run.html", "not taken"),
        (
            "templates/index.md",
            "site's twin, then {% include \"theme:index.md\" %}",
        ),
        ("static/style.css", "site's sheet"),
    ]);
    built(dir.path(), &["--strict"]);
    let front = text(dir.path(), "index.html");
    let links: Vec<&str> = front
        .strip_prefix("theme's front ")
        .unwrap()
        .split(' ')
        .collect();
    assert_eq!(text(dir.path(), links[0]), "site's sheet");
    assert!(links[1].starts_with("img/a%20b."), "{front}");
    assert_eq!(
        text(dir.path(), &links[1].replace("%20", " ")),
        "theme's picture"
    );
    assert_eq!(
        text(dir.path(), "index.md"),
        "site's twin, then theme's twin\n"
    );
    assert_eq!(text(dir.path(), "favicon.svg"), "theme's icon");
    // What the theme lacks is the default's, and asks for the asset that is in use.
    let run = text(dir.path(), "runs/one/index.html");
    assert_eq!(stylesheet(&run), format!("../../{}", links[0]));
    // `theme:` is the default theme's where the theme has none.
    put(
        dir.path(),
        "templates/index.md",
        "{% include \"theme:index.md\" %}",
    );
    // The option goes before site.toml.
    built(dir.path(), &["--theme", "other"]);
    assert_eq!(text(dir.path(), "runs/one/index.html"), "not taken");
}

#[test]
fn components_of_the_site_go_before_those_of_the_theme() {
    let dir = site(&[
        (
            "templates/table.html",
            "{% component runs(table: map, label: string) %}<p>my {{ label }}</p>{% endcomponent runs %}",
        ),
        (
            "templates/base.html",
            "{% extends \"default:base.html\" %}{% block footer %}<footer>mine</footer>{% include \"table.html\" %}{% endblock footer %}",
        ),
    ]);
    built(dir.path(), &["--strict"]);
    let front = text(dir.path(), "index.html");
    assert!(
        front.contains("<p>my Runs</p>") && front.contains("<footer>mine</footer>"),
        "{front}"
    );
}

#[test]
fn the_name_of_an_asset_follows_its_content() {
    let dir = site(&[("static/style.css", "a {}")]);
    let sheet = |dir: &Path| {
        built(dir, &[]);
        stylesheet(&text(dir, "index.html"))
    };
    let first = sheet(dir.path());
    assert!(
        first.starts_with("style.") && first.ends_with(".css") && first.len() > 16,
        "{first}"
    );
    assert_eq!(sheet(dir.path()), first);
    put(dir.path(), "static/style.css", "b {}");
    let second = sheet(dir.path());
    assert_ne!(first, second);
    assert!(!tree(&dir.path().join("public")).contains_key(&first));
}

#[test]
fn every_wrong_template_is_told_with_its_place() {
    let dir = site(&[]);
    built(dir.path(), &[]);
    put(dir.path(), "templates/index.html", "<p>\n  {{ title | }}\n");
    put(
        dir.path(),
        "templates/run.html",
        "{% if title %}\nä {% endfor %}\n",
    );
    put(dir.path(), "templates/run.md", "{{ }}");
    put(dir.path(), "content/runs/three.json", "{");
    let said = refused(dir.path());
    for place in [
        "templates/index.html:2:",
        "templates/run.html:2:6",
        "templates/run.md:1:",
        "content/runs/three.json:1",
    ] {
        assert!(said.contains(&format!("\n --> {place}")), "{place}: {said}");
    }
    assert_eq!(said.matches("error[E0601]").count(), 3, "{said}");
    assert!(said.contains("not built: 4 errors"), "{said}");
}

#[test]
fn names_that_are_not_there_are_told_with_what_there_is() {
    let dir = site(&[]);
    built(dir.path(), &[]);
    put(
        dir.path(),
        "templates/run.html",
        "{% extends \"base.html\" %}\n{% block contant %}{{ title | shout }}{% endblock contant %}\n{% block content %}\n {% include \"bsae.html\" %}{{ <tabel table={measurements} /> }}{% endblock content %}",
    );
    let said = refused(dir.path());
    for wanted in [
        "error[E0602]: ",
        " --> templates/run.html:2:",
        "did you mean `content`? known there: content, footer, header, page_scripts, page_styles, scripts, styles, title",
        "unknown filter `shout`",
        " --> templates/run.html:4:",
        "did you mean `base.html`?",
        "did you mean `table`? known there: cell, legend, pager, runs, scale, table, tabs, thumbnail_legend",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    put(
        dir.path(),
        "templates/run.html",
        "{% extends \"bas.html\" %}",
    );
    let said = refused(dir.path());
    assert!(
        said.contains("no template `bas.html`") && said.contains("did you mean `base.html`?"),
        "{said}"
    );
    put(
        dir.path(),
        "templates/run.html",
        "{% extends \"run.html\" %}",
    );
    let said = refused(dir.path());
    assert!(said.contains("run.html → "), "{said}");
}

#[test]
fn an_unknown_field_is_told_once_with_what_is_known_there() {
    let dir = site(&[]);
    built(dir.path(), &[]);
    for (template, wanted) in [
        (
            "<p>\n<b>{{ page.titel }}</b>",
            "error[E0603]: there is no `titel` in `page`\n --> templates/run.html:2:12\nhelp: did you mean `title`? known there: canonical, description, feed, home, icon, json, json_ld, kind, markdown, nav, repository, root, site_title, title",
        ),
        (
            "{{ page.titel.x | upper }}",
            "there is no `titel` in `page`\n --> templates/run.html:1:9\nhelp: did you mean `title`?",
        ),
        (
            "{{ titel }}",
            "there is no `titel` here\n --> templates/run.html:1:4\nhelp: did you mean `title`? known there: ",
        ),
        (
            "{% for m in matrices %}{{ m.haeding }}{% endfor %}",
            "there is no `haeding` in `m`\n --> templates/run.html:1:29\nhelp: did you mean `heading`? known there: heading, ",
        ),
        (
            "{% for x in page.tags %}{% endfor %}",
            "there is no `tags` in `page`\n --> templates/run.html:1:",
        ),
        (
            "{{ page.titel | upper }}",
            "there is no `titel` in `page`\n --> templates/run.html:1:",
        ),
        (
            "{{ asset(name=\"stlye.css\") }}",
            "there is no asset `stlye.css`\n --> templates/run.html:1:4\nhelp: did you mean `style.css`? known there: ",
        ),
        (
            "{{ asset(name=\"robots.txt\") }}",
            "static/robots.txt is copied as it is, link it as {{ page.root }}robots.txt",
        ),
    ] {
        put(dir.path(), "templates/run.html", template);
        put(dir.path(), "static/robots.txt", "");
        // The default's base.html, which asks for the stylesheet, must stay in use.
        let said = refused(dir.path());
        assert!(said.contains(wanted), "{template}: {said}");
        assert_eq!(
            said.matches("error[").count(),
            1,
            "once, not for each page: {said}"
        );
    }
}

#[test]
fn a_template_that_nothing_uses_is_told_of() {
    let dir = site(&[
        ("templates/rum.html", "x"),
        ("templates/part.html", "a part"),
        ("templates/notes.txt", "x"),
        ("templates/.run.html.swp", "x"),
        ("templates/index.html", "{% include 'part.html' %}"),
    ]);
    let said = built(dir.path(), &[]);
    assert!(
        said.contains(" --> templates/rum.html\nhelp: did you mean run.html?"),
        "{said}"
    );
    assert!(said.contains(" --> templates/notes.txt\n"), "{said}");
    assert_eq!(said.matches("warning[W0604]").count(), 2, "{said}");
    assert_eq!(text(dir.path(), "index.html"), "a part");
}

#[cfg(unix)]
#[test]
fn links_that_leave_the_site_are_refused() {
    let elsewhere = tempfile::tempdir().unwrap();
    put(elsewhere.path(), "secret.css", "secret");
    let dir = site(&[("themes/mine/static/a.css", "")]);
    built(dir.path(), &[]);
    put(dir.path(), "site.toml", "theme = \"mine\"\n");
    let link = dir.path().join("themes/mine/static/style.css");
    std::os::unix::fs::symlink(elsewhere.path().join("secret.css"), &link).unwrap();
    let said = refused(dir.path());
    assert!(
        said.contains("error[E0308]") && said.contains(" --> themes/mine/static/style.css"),
        "{said}"
    );
    fs_err::remove_file(&link).unwrap();
    std::os::unix::fs::symlink(elsewhere.path(), dir.path().join("templates")).unwrap();
    let said = refused(dir.path());
    assert!(said.contains(" --> templates\n"), "{said}");
}

#[test]
fn a_build_ends_with_one_line_and_shows_no_bar_where_nobody_looks() {
    let dir = site(&[]);
    let said = built(dir.path(), &[]);
    let last = said.lines().last().unwrap();
    // The folder's marker is no file of the site.
    let mut files = tree(&dir.path().join("public"));
    files.remove(".speedbook").unwrap();
    let wanted = format!(
        "2 runs, 9 pages in ./public: {} files written, 0 unchanged, 0 removed, 0 warnings, ",
        files.len()
    );
    assert!(last.starts_with(&wanted) && last.ends_with(" s"), "{said}");
    assert!(!said.contains('\u{1b}') && !said.contains('\r'), "{said:?}");
    assert_eq!(built(dir.path(), &["--quiet"]), "");
}

/// The part of docs/themes.md that is made from the views.
fn reference() -> String {
    let catalogue = catalogue();
    let mut out = String::from("\n");
    let table = |out: &mut String, fields: &[Field]| {
        out.push_str("| Field | Value | |\n|---|---|---|\n");
        for field in fields {
            let Field {
                name,
                value,
                description,
            } = field;
            assert!(!description.is_empty(), "`{name}` says nothing of itself");
            let description = description.replace('|', "\\|");
            writeln!(out, "| `{name}` | {value} | {description} |").unwrap();
        }
        out.push('\n');
    };
    for template in &catalogue.templates {
        let names: Vec<String> = template
            .templates
            .iter()
            .map(|t| format!("`{t}`"))
            .collect();
        writeln!(out, "### {}\n\n{}\n", names.join(", "), template.page).unwrap();
        table(&mut out, &template.fields);
    }
    out.push_str("### Values with fields of their own\n\n");
    for value in &catalogue.values {
        writeln!(out, "#### `{}`\n\n{}\n", value.name, value.description).unwrap();
        table(&mut out, &value.fields);
    }
    out
}

#[test]
fn the_documentation_lists_what_templates_get() {
    let path = Path::new(HERE).join("docs/themes.md");
    let document = fs_err::read_to_string(&path).unwrap();
    let (head, rest) = document.split_once("<!-- fields -->\n").unwrap();
    let (found, tail) = rest.split_once("<!-- end of fields -->").unwrap();
    let wanted = reference();
    if std::env::var_os("SPEEDBOOK_UPDATE").is_some() {
        let whole = format!("{head}<!-- fields -->\n{wanted}<!-- end of fields -->{tail}");
        fs_err::write(&path, whole).unwrap();
    } else {
        assert!(
            found == wanted,
            "docs/themes.md is not current; run SPEEDBOOK_UPDATE=1 cargo test --test themes"
        );
    }
    // Each template of the default theme is that of a page, but for what pages extend and include.
    let listed: BTreeSet<&str> = catalogue()
        .templates
        .iter()
        .flat_map(|t| t.templates.iter().copied())
        .collect();
    let folder = Path::new(HERE).join("themes/default/templates");
    let files: BTreeSet<String> = tree(&folder).into_keys().collect();
    let files: BTreeSet<&str> = files
        .iter()
        .map(String::as_str)
        .filter(|f| {
            ![
                "base.html",
                "charts.html",
                "launch.html",
                "runs.html",
                "serving.html",
            ]
            .contains(f)
        })
        .collect();
    assert_eq!(
        listed, files,
        "view::fields::catalogue names the templates of pages"
    );
}

/// Writes the files of the nth example of docs/themes.md into a site; their paths and contents.
fn example(dir: &Path, nth: usize) -> Vec<(String, String)> {
    let document = fs_err::read_to_string(Path::new(HERE).join("docs/themes.md")).unwrap();
    let example = document.split("<!-- example -->").nth(nth).unwrap();
    let (example, _) = example.split_once("<!-- end of example -->").unwrap();
    let mut files = Vec::new();
    for part in example.split("\n```\n") {
        let Some((path, content)) = part.split_once("`\n\n```") else {
            continue;
        };
        let path = path.trim().trim_matches('`');
        let (_, content) = content.split_once('\n').unwrap();
        put(dir, path, &format!("{content}\n"));
        files.push((path.to_owned(), format!("{content}\n")));
    }
    assert_eq!(files.len(), 2);
    files
}

#[test]
fn the_example_of_the_documentation_builds() {
    let dir = site(&[]);
    let files = example(dir.path(), 1);
    built(dir.path(), &["--strict"]);
    let front = text(dir.path(), "index.html");
    assert!(front.contains("<p>2 runs, newest first:</p>"), "{front}");
    assert!(
        front.contains("<li><a href=\"runs/one/\">A run</a></li>"),
        "{front}"
    );
    assert_eq!(text(dir.path(), &stylesheet(&front)), files[1].1);
}

#[test]
fn the_example_of_other_colours_comes_behind_the_stylesheet_on_every_page() {
    let dir = site(&[]);
    let files = example(dir.path(), 2);
    built(dir.path(), &["--strict"]);
    for page in ["index.html", "runs/one/index.html", "models/index.html"] {
        let page = text(dir.path(), page);
        let own = page.find("style.").unwrap();
        let colours = page.find("colours.css").unwrap();
        assert!(own < colours, "{page}");
    }
    assert_eq!(text(dir.path(), "colours.css"), files[1].1);
}
