//! What a build does to a folder that it may replace.

use fs_err as fs;
use speedbook::output::{MARKER, OutputError, Rehearsal, Stage, Step, Written};

use super::fixture::*;

fn written(written: usize, unchanged: usize, removed: usize) -> Written {
    Written {
        written,
        unchanged,
        removed,
        remains: Vec::new(),
    }
}

/// What must stay the same of a file that did not change.
#[cfg(unix)]
fn identity(path: &std::path::Path) -> (u64, i64, i64) {
    use std::os::unix::fs::MetadataExt;
    let metadata = fs::symlink_metadata(path).unwrap();
    (metadata.ino(), metadata.mtime(), metadata.mtime_nsec())
}

#[test]
fn the_first_build_makes_the_folder_and_those_above_it() {
    let home = Home::new();
    let place = home.place_at("deep/er/public");
    let made = build(&place, &site(&[("a/b.html", "1")]), Rehearsal::none(), 1).unwrap();
    assert_eq!(made, written(1, 0, 0));
    let names: Vec<String> = tree(&place.output).into_keys().collect();
    assert_eq!(names, [MARKER, "a", "a/b.html"]);
}

#[test]
fn an_empty_folder_is_filled() {
    let home = Home::new();
    fs::create_dir(home.output()).unwrap();
    let made = home.build(&site(&[("a", "1")])).unwrap();
    assert_eq!(made, written(1, 0, 0));
    assert_eq!(home.remains(), Vec::<String>::new());
}

#[test]
fn files_are_counted_and_those_no_longer_made_disappear() {
    let home = Home::new();
    home.build(&site(&[
        ("same", "1"),
        ("other", "1"),
        ("gone/x", "1"),
        (".nojekyll", ""),
    ]))
    .unwrap();
    home.put("public/by-hand.html", "not in the new site");
    let made = home
        .build(&site(&[("same", "1"), ("other", "2"), ("new", "1")]))
        .unwrap();
    assert_eq!(made, written(2, 1, 3));
    let names: Vec<String> = home.tree().into_keys().collect();
    assert_eq!(names, [MARKER, "new", "other", "same"]);
    assert_eq!(home.remains(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn unchanged_files_keep_their_time_and_are_the_same_file() {
    let home = Home::new();
    let files = site(&[("same", "1"), ("other", "1"), ("runs/a/index.html", "x")]);
    home.build(&files).unwrap();
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 42);
    let paths = ["same", "runs/a/index.html", MARKER].map(|path| home.output().join(path));
    for path in &paths {
        std::fs::File::open(path)
            .unwrap()
            .set_modified(old)
            .unwrap();
    }
    let before = paths.clone().map(|path| identity(&path));
    home.build(&Site::from_iter(
        files.into_iter().chain(site(&[("other", "2")])),
    ))
    .unwrap();
    assert_eq!(paths.map(|path| identity(&path)), before);
}

#[cfg(unix)]
#[test]
fn without_hard_links_unchanged_files_keep_their_time() {
    let home = Home::new();
    let files = site(&[("same", "1"), ("static/logo", "logo")]);
    home.put("logo.png", "logo");
    home.build(&files).unwrap();
    let path = home.output().join("same");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::new(1_000_000_000, 42);
    std::fs::File::open(&path)
        .unwrap()
        .set_modified(old)
        .unwrap();
    let rehearsal = Rehearsal {
        hard_links: false,
        ..Rehearsal::none()
    };
    let stage = Stage::begin_with(&home.place(), rehearsal).unwrap();
    stage.write("same", b"1").unwrap();
    stage.copy("static/logo", &home.path("logo.png")).unwrap();
    assert_eq!(stage.commit().unwrap(), written(0, 2, 0));
    assert_eq!(identity(&path).1, 1_000_000_000);
}

#[test]
fn static_files_are_copied_by_the_same_rule() {
    let home = Home::new();
    let long = "0123456789".repeat(10_000);
    home.put("logo.svg", &long);
    home.put("empty", "");
    let copy = || {
        let stage = Stage::begin(&home.place()).unwrap();
        stage.copy("logo.svg", &home.path("logo.svg")).unwrap();
        stage.copy("a/empty", &home.path("empty")).unwrap();
        stage.commit().unwrap()
    };
    assert_eq!(copy(), written(2, 0, 0));
    assert_eq!(
        fs::read_to_string(home.output().join("logo.svg")).unwrap(),
        long
    );
    assert_eq!(copy(), written(0, 2, 0));
    home.put("logo.svg", &long.replacen("9", "x", 1));
    assert_eq!(copy(), written(1, 1, 0));
    assert!(
        fs::read_to_string(home.output().join("logo.svg"))
            .unwrap()
            .contains('x')
    );
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_a_hard_link() {
    let home = Home::new();
    home.build(&site(&[("a", "old"), ("b", "old")])).unwrap();
    fs::hard_link(home.output().join("a"), home.path("elsewhere")).unwrap();
    home.build(&site(&[("a", "new"), ("b", "old")])).unwrap();
    assert_eq!(fs::read_to_string(home.path("elsewhere")).unwrap(), "old");
    assert_eq!(fs::read_to_string(home.output().join("a")).unwrap(), "new");
}

#[cfg(unix)]
#[test]
fn links_in_the_old_site_are_neither_followed_nor_taken_over() {
    use std::os::unix::fs::MetadataExt;
    let home = Home::new();
    home.build(&site(&[("page", "text"), ("runs/a", "text")]))
        .unwrap();
    home.put("outside/a", "text");
    home.put("outside/other", "text");
    let output = home.output();
    fs::remove_file(output.join("page")).unwrap();
    fs::remove_dir_all(output.join("runs")).unwrap();
    fs::os::unix::fs::symlink(home.path("outside/a"), output.join("page")).unwrap();
    fs::os::unix::fs::symlink(home.path("outside"), output.join("runs")).unwrap();
    home.build(&site(&[("page", "text"), ("runs/a", "text")]))
        .unwrap();
    for path in ["page", "runs/a"] {
        assert!(
            fs::symlink_metadata(output.join(path)).unwrap().is_file(),
            "{path}"
        );
    }
    assert!(fs::symlink_metadata(output.join("runs")).unwrap().is_dir());
    assert_eq!(fs::metadata(home.path("outside/a")).unwrap().nlink(), 1);
    assert_eq!(
        fs::read_to_string(home.path("outside/other")).unwrap(),
        "text"
    );
}

#[cfg(unix)]
#[test]
fn a_repository_stays_the_very_same_without_being_copied() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    home.put_repository();
    let objects = home.path("public/.git/objects/ab/cdef");
    let (folder, object) = (identity(&home.path("public/.git")), identity(&objects));
    let before = home.tree();

    // While the old site is still in place, the new one has a twin out of hard links.
    let (root, output) = (home.root.clone(), home.output());
    let rehearsal = Rehearsal::watched(move |step| {
        if step == Step::DotFilesCarried {
            let twin = root.join(".public.speedbook/new/.git");
            assert_eq!(identity(&twin.join("objects/ab/cdef")), object);
            assert_eq!(
                fs::read_link(twin.join("link")).unwrap(),
                std::path::Path::new("../../outside")
            );
            // Git goes on writing.
            fs::write(output.join(".git/late"), "late").unwrap();
        }
        Ok(())
    });
    build(&home.place(), &site(&[("a", "1")]), rehearsal, 1).unwrap();
    assert_eq!(identity(&home.path("public/.git")).0, folder.0);
    assert_eq!(identity(&objects), object);
    assert_eq!(
        fs::read_to_string(home.path("public/.git/late")).unwrap(),
        "late"
    );
    fs::remove_file(home.path("public/.git/late")).unwrap();
    assert_same(&home.tree(), &before, "after the build");

    let rehearsal = Rehearsal {
        exchange: false,
        ..Rehearsal::none()
    };
    build(&home.place(), &site(&[("a", "1")]), rehearsal, 1).unwrap();
    assert_eq!(identity(&objects), object);
    assert_same(&home.tree(), &before, "after two renames");
}

#[test]
fn a_worktree_file_and_a_first_build_into_an_empty_repository() {
    let home = Home::new();
    home.put("public/.git", "gitdir: /elsewhere/.git/worktrees/public\n");
    home.build(&site(&[("a", "1")])).unwrap();
    home.build(&site(&[("a", "2")])).unwrap();
    let git = fs::read_to_string(home.path("public/.git")).unwrap();
    assert_eq!(git, "gitdir: /elsewhere/.git/worktrees/public\n");
}

#[test]
fn dot_files_that_gen_made_go_and_those_of_others_stay() {
    let home = Home::new();
    let full = site(&[
        (".nojekyll", ""),
        ("CNAME", "made.example"),
        (".well-known/security.txt", "made"),
        (".well-known/old/x", "made"),
    ]);
    home.build(&full).unwrap();
    home.put("public/.htaccess", "theirs");
    home.put("public/.well-known/acme-challenge/token", "theirs");
    home.put("public/runs/.hidden", "not at the top");

    home.build(&site(&[(".well-known/security.txt", "made")]))
        .unwrap();
    let names: Vec<String> = home.tree().into_keys().collect();
    assert_eq!(
        names,
        [
            ".htaccess",
            MARKER,
            ".well-known",
            ".well-known/acme-challenge",
            ".well-known/acme-challenge/token",
            ".well-known/security.txt",
        ]
    );
    home.build(&site(&[])).unwrap();
    let names: Vec<String> = home.tree().into_keys().collect();
    assert_eq!(
        names,
        [
            ".htaccess",
            MARKER,
            ".well-known",
            ".well-known/acme-challenge",
            ".well-known/acme-challenge/token",
        ]
    );
}

#[test]
fn what_the_site_makes_wins_over_a_dot_file_of_others() {
    let home = Home::new();
    home.build(&site(&[])).unwrap();
    home.put("public/CNAME", "theirs.example");
    home.put("public/.conf/a", "theirs");
    home.put("public/.conf/b/c", "theirs");
    home.build(&site(&[
        ("CNAME", "made.example"),
        (".conf/a", "made"),
        (".conf/b", "made"),
    ]))
    .unwrap();
    assert_eq!(
        fs::read_to_string(home.path("public/CNAME")).unwrap(),
        "made.example"
    );
    assert_eq!(
        fs::read_to_string(home.path("public/.conf/a")).unwrap(),
        "made"
    );
    assert_eq!(
        fs::read_to_string(home.path("public/.conf/b")).unwrap(),
        "made"
    );
}

#[test]
fn the_marker_is_the_same_for_the_same_site() {
    let home = Home::new();
    home.build(&site(&[
        (".b", ""),
        (".a", ""),
        ("CNAME", "x"),
        ("index.html", ""),
    ]))
    .unwrap();
    let marker = fs::read_to_string(home.output().join(MARKER)).unwrap();
    assert_eq!(
        marker,
        "# speedbook output: made by gen, and replaced whole by its next build.\n\
         # Dot files (and CNAME) that are not in this list are not gen's, and stay:\n\
         .a\n.b\nCNAME\n"
    );
}

#[test]
fn one_and_eight_threads_make_the_same_tree() {
    let (one, eight) = (Home::new(), Home::new());
    for version in ['a', 'b'] {
        let files = big_site(version);
        let first = build(&one.place(), &files, Rehearsal::none(), 1).unwrap();
        let second = build(&eight.place(), &files, Rehearsal::none(), 8).unwrap();
        assert_eq!(first, second);
        assert_same(&one.tree(), &eight.tree(), "with eight threads");
    }
}

#[test]
fn a_site_that_lacks_a_file_is_not_put_in_place() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    let before = home.tree();

    let stage = Stage::begin(&home.place()).unwrap();
    stage.write("a", b"2").unwrap();
    let error = stage.write("a", b"3").unwrap_err();
    assert_eq!(error.to_string(), "`a` was written twice");
    let error = stage.commit().unwrap_err();
    assert!(matches!(error, OutputError::Incomplete(path) if path == "a"));

    let stage = Stage::begin(&home.place()).unwrap();
    let error = stage.write("../b", b"").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no file of a site may be called `../b`: `.` and `..` lead elsewhere"
    );
    assert!(stage.commit().is_err());

    let stage = Stage::begin(&home.place()).unwrap();
    let error = stage.copy("b", &home.path("missing")).unwrap_err();
    assert!(error.to_string().contains("missing"), "{error}");
    drop(stage);
    assert_same(&home.tree(), &before, "after three failures");
    assert_eq!(home.remains(), Vec::<String>::new());
}

#[cfg(unix)]
#[test]
fn the_folder_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    fs::set_permissions(home.output(), std::fs::Permissions::from_mode(0o750)).unwrap();
    home.build(&site(&[("a", "2")])).unwrap();
    let mode = fs::metadata(home.output()).unwrap().permissions().mode();
    assert_eq!(mode & 0o7777, 0o750);
}

#[test]
fn the_work_folder_shows_up_in_no_repository() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    let ignore = fs::read_to_string(home.path(".public.speedbook/.gitignore")).unwrap();
    assert_eq!(ignore.lines().last(), Some("*"));
}
