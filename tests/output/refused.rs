//! Folders that are not replaced, with the words of each refusal.

use fs_err as fs;
use speedbook::output::{OutputError, OutputPlace, Rehearsal, Stage};

use super::fixture::*;

/// The message for an output folder, with the site's folder written as `ROOT`.
fn words(home: &Home, output: &str) -> String {
    let error = Stage::begin(&home.place_at(output)).err().unwrap();
    assert!(matches!(error, OutputError::Refused(_)), "{error}");
    error
        .to_string()
        .replace(home.root.to_str().unwrap(), "ROOT")
}

const OWN_FOLDER: &str =
    "help: choose a folder of its own with --output, such as `public` beside site.toml";

#[test]
fn a_folder_of_somebody_else() {
    let home = Home::new();
    home.put("photos/b.jpg", "");
    home.put("photos/a.jpg", "");
    assert_eq!(
        words(&home, "photos"),
        "cannot build into `ROOT/photos`: it is not empty and was not made by gen (it holds `a.jpg`)\n\
         help: choose another folder with --output, or empty this one"
    );
    assert!(
        !home.path(".photos.speedbook").exists(),
        "nothing is written before"
    );
}

#[test]
fn a_file() {
    let home = Home::new();
    home.put("file", "");
    assert_eq!(
        words(&home, "file"),
        format!("cannot build into `ROOT/file`: it is no folder\n{OWN_FOLDER}")
    );
}

#[test]
fn places_of_the_site() {
    let home = Home::new();
    for (output, why) in [
        ("content", "it is the content folder"),
        (
            "content/public",
            "the next build would read it again, as a part of `ROOT/content`",
        ),
        (
            "static/public",
            "the next build would read it again, as a part of `ROOT/static`",
        ),
        (
            "themes/mine/static",
            "the next build would read it again, as a part of `ROOT/themes`",
        ),
    ] {
        assert_eq!(
            words(&home, output),
            format!("cannot build into `ROOT/{output}`: {why}\n{OWN_FOLDER}")
        );
    }
    assert!(words(&home, "").contains("it is the site's own folder\n"));
    assert!(words(&home, "..").contains("the site's own folder is in it\n"));
}

#[test]
fn a_content_folder_elsewhere_and_what_is_above_it() {
    let home = Home::new();
    fs::create_dir_all(home.path("a/b/texts")).unwrap();
    fs::create_dir_all(home.path("site")).unwrap();
    let place = OutputPlace {
        output: home.path("a"),
        root: home.path("site"),
        content: home.path("a/b/texts"),
    };
    let error = Stage::begin(&place).err().unwrap().to_string();
    assert!(error.contains("the content folder is in it"), "{error}");
}

#[test]
fn the_home_folder() {
    let (Some(folder), home) = (std::env::home_dir(), Home::new()) else {
        println!("skipped: this user has no home folder");
        return;
    };
    let place = OutputPlace {
        output: folder,
        ..home.place()
    };
    let error = Stage::begin(&place).err().unwrap().to_string();
    assert!(error.contains("it is your home folder"), "{error}");
}

#[cfg(unix)]
#[test]
fn a_link() {
    let home = Home::new();
    fs::create_dir(home.path("real")).unwrap();
    fs::os::unix::fs::symlink("real", home.path("link")).unwrap();
    assert_eq!(
        words(&home, "link"),
        "cannot build into `ROOT/link`: it is a link to `ROOT/real`\n\
         help: the link itself would be replaced, not the folder behind it; pass --output `ROOT/real`"
    );
}

#[test]
fn names_in_messages_cannot_steer_a_terminal() {
    let home = Home::new();
    home.put("a\u{1b}[31m/x\u{1b}]0;y", "");
    let words = words(&home, "a\u{1b}[31m");
    assert!(!words.contains('\u{1b}'), "{words:?}");
}

#[test]
fn what_is_in_the_way_of_the_work_folder() {
    let home = Home::new();
    home.put(".public.speedbook/diary", "mine");
    assert_eq!(
        words(&home, "public"),
        "cannot build into `ROOT/public`: `ROOT/.public.speedbook` is in the way and was not made by gen\n\
         help: move it away, or choose another folder with --output"
    );
    assert!(home.path(".public.speedbook/diary").exists());
}

#[test]
fn a_second_build_at_the_same_time() {
    let home = Home::new();
    let first = Stage::begin(&home.place()).unwrap();
    let words = |error: OutputError| {
        error
            .to_string()
            .replace(home.root.to_str().unwrap(), "ROOT")
    };
    let error = Stage::begin(&home.place()).err().unwrap();
    assert!(matches!(error, OutputError::Busy(_)));
    assert_eq!(
        words(error),
        "another gen build is writing to `ROOT/public`\n\
         help: wait until it has ended, or choose another folder with --output"
    );
    let other_process = child(&home, "build a", true).output().unwrap();
    assert_eq!(other_process.status.code(), Some(2));
    let said = String::from_utf8(other_process.stderr).unwrap();
    assert!(said.contains("another gen build is writing to"), "{said}");

    // The first one is not disturbed, and a build into another folder may run beside it.
    build(
        &home.place_at("other"),
        &site(&[("a", "1")]),
        Rehearsal::none(),
        1,
    )
    .unwrap();
    first.write("a", b"1").unwrap();
    first.commit().unwrap();
    assert!(home.output().join("a").is_file());
    home.build(&site(&[("a", "2")])).unwrap();
}

/// Something mounted, until it is dropped; nothing where that is not permitted.
#[cfg(target_os = "linux")]
pub struct Mounted(std::path::PathBuf);

#[cfg(target_os = "linux")]
impl Mounted {
    pub fn new(arguments: &[&str], at: &std::path::Path) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mount = std::process::Command::new("mount")
            .args(arguments)
            .arg(at)
            .output();
        match mount {
            Ok(done) if done.status.success() => Some(Self(at.to_owned())),
            Ok(done) => {
                println!("skipped: {}", String::from_utf8_lossy(&done.stderr));
                None
            }
            Err(error) => {
                println!("skipped: {error}");
                None
            }
        }
    }
}

#[cfg(target_os = "linux")]
impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = std::process::Command::new("umount").arg(&self.0).status();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_mount_point() {
    let home = Home::new();
    let Some(mounted) = Mounted::new(&["-t", "tmpfs", "tmpfs"], &home.output()) else {
        return;
    };
    let expected = "cannot build into `ROOT/public`: it is a mount point, whose name cannot be exchanged\n\
         help: build into a folder below it, or mount the folder above it instead";
    assert_eq!(words(&home, "public"), expected);
    let below = home.place_at("public/site");
    build(&below, &site(&[("a", "1")]), Rehearsal::none(), 1).unwrap();
    drop(mounted);

    // A folder of the same disk has the same device number.
    home.put("data/x", "");
    let data = home.path("data");
    let _mounted = Mounted::new(&["--bind", data.to_str().unwrap()], &home.output());
    assert_eq!(words(&home, "public"), expected);
}

#[cfg(target_os = "linux")]
#[test]
fn a_folder_with_a_mount_point_in_it() {
    let home = Home::new();
    home.build(&site(&[("media/a", "1")])).unwrap();
    home.put("data/precious", "");
    let data = home.path("data");
    for inside in ["media", ".git/x"] {
        let at = home.output().join(inside);
        let Some(_mounted) = Mounted::new(&["--bind", data.to_str().unwrap()], &at) else {
            return;
        };
        let error = home.build(&site(&[])).unwrap_err().to_string();
        assert!(
            error.contains("in it is a mount point\nhelp: unmount it"),
            "{error}"
        );
        assert!(home.path("data/precious").exists());
    }
}
