//! Disks and folders that say no.

#![cfg(target_os = "linux")]

use std::process::Command;

use fs_err as fs;
use speedbook::output::OutputError;

use super::fixture::*;
use super::refused::Mounted;

#[test]
fn on_a_full_disk_the_old_site_stays_and_the_next_build_works() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::new(&["-t", "tmpfs", "-o", "size=1m", "tmpfs"], dir.path())
    else {
        return;
    };
    let home = Home::at(&dir.path().join("site"));
    let small = site(&[("a", "1"), ("b/c", "2")]);
    home.put_repository();
    home.build(&small).unwrap();
    let before = home.tree();

    let large: Site = (0..64)
        .map(|n| (format!("runs/{n}"), vec![b'x'; 40_000]))
        .collect();
    for threads in [1, 8] {
        let error = build(
            &home.place(),
            &large,
            speedbook::output::Rehearsal::none(),
            threads,
        );
        let error = error.unwrap_err();
        assert!(matches!(error, OutputError::Io(_)), "{error}");
        let words = error.to_string();
        assert!(words.contains("public.speedbook/new/runs/"), "{words}");
        assert!(
            words.ends_with("\nhelp: the old site is as it was; make room and build again"),
            "{words}"
        );
        assert_same(&home.tree(), &before, "on a full disk");
        assert_eq!(home.remains(), Vec::<String>::new());
    }

    // Full to the last block, what is there is still whole; with room again the build works.
    let filler = dir.path().join("filler");
    let _ = fs::write(&filler, vec![0; 2_000_000]);
    assert!(home.build(&site(&[("a", &"3".repeat(9000))])).is_err());
    assert_same(&home.tree(), &before, "on a full disk");
    fs::remove_file(filler).unwrap();
    home.build_cleanly(&small, &before);
}

#[test]
fn under_a_limit_of_file_sizes_the_old_site_stays() {
    let home = Home::new();
    home.put_repository();
    home.build(&big_site('a')).unwrap();
    let old = home.tree();
    home.put_repository();

    // The signal kills the build, as a shell does it; ignored, the write fails.
    for (trap, code) in [("", None), ("trap '' XFSZ; ", Some(2))] {
        let inner = child(&home, "build b", true);
        let script = format!("{trap}ulimit -f 1; exec \"$0\" \"$@\"");
        let mut shell = Command::new("sh");
        shell
            .args(["-c", &script])
            .arg(inner.get_program())
            .args(inner.get_args());
        for (name, value) in inner.get_envs() {
            shell.env(name, value.unwrap());
        }
        let done = shell.output().unwrap();
        assert_eq!(done.status.code(), code, "{done:?}");
        if code.is_some() {
            let words = String::from_utf8(done.stderr).unwrap();
            assert!(
                words.contains("help: the old site is as it was; make room"),
                "{words}"
            );
        }
        assert_same(&home.tree(), &old, "under ulimit -f");
    }
    home.build_cleanly(&big_site('b'), &expected_tree(&big_site('b')));
}

#[test]
fn on_a_read_only_disk_the_words_say_where() {
    let dir = tempfile::tempdir().unwrap();
    let Some(_mounted) = Mounted::new(&["-t", "tmpfs", "tmpfs"], dir.path()) else {
        return;
    };
    let home = Home::at(&dir.path().join("site"));
    home.build(&site(&[("a", "1")])).unwrap();
    let before = home.tree();
    let remount = |how: &str| {
        let status = Command::new("mount")
            .args(["-o", how])
            .arg(dir.path())
            .status();
        assert!(status.unwrap().success());
    };
    remount("remount,ro");
    let error = home.build(&site(&[("a", "2")])).unwrap_err();
    remount("remount,rw");
    let words = error
        .to_string()
        .replace(home.root.to_str().unwrap(), "ROOT");
    assert!(
        words.starts_with(
            "the new site is prepared beside the output folder, and `ROOT` cannot be written to: "
        ),
        "{words}"
    );
    assert!(
        words.contains("\nhelp: the old site is as it was; allow writing there"),
        "{words}"
    );
    assert_same(&home.tree(), &before, "on a read-only disk");
    home.build(&site(&[("a", "2")])).unwrap();
}

/// A file that cannot be changed even by root, until this is dropped.
struct Immutable(std::path::PathBuf);

impl Immutable {
    fn new(path: std::path::PathBuf) -> Option<Self> {
        match Command::new("chattr").arg("+i").arg(&path).output() {
            Ok(done) if done.status.success() => Some(Self(path)),
            other => {
                println!("skipped: chattr +i does not work here: {other:?}");
                None
            }
        }
    }
}

impl Drop for Immutable {
    fn drop(&mut self) {
        let _ = Command::new("chattr").arg("-i").arg(&self.0).status();
    }
}

#[test]
fn a_folder_that_cannot_be_moved_stays() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    let before = home.tree();
    let Some(immutable) = Immutable::new(home.output()) else {
        return;
    };
    let error = home.build(&site(&[("a", "2")])).unwrap_err();
    let words = error.to_string();
    assert!(matches!(error, OutputError::Exchange { .. }), "{words}");
    assert!(
        words.contains("cannot be exchanged with the new site"),
        "{words}"
    );
    assert!(
        words.contains("\nhelp: the old site is as it was; gen must be able to write"),
        "{words}"
    );
    assert_same(&home.tree(), &before, "when it cannot be moved");
    drop(immutable);
    home.build(&site(&[("a", "2")])).unwrap();
    assert_eq!(home.remains(), Vec::<String>::new());
}

#[test]
fn a_folder_that_came_with_a_container_image_stays() {
    let image = Home::new();
    image.build(&site(&[("a", "1")])).unwrap();
    let dir = tempfile::tempdir().unwrap();
    let Some(_disk) = Mounted::new(&["-t", "tmpfs", "tmpfs"], dir.path()) else {
        return;
    };
    for folder in ["upper", "work"] {
        fs::create_dir(dir.path().join(folder)).unwrap();
    }
    let options = format!(
        "lowerdir={},upperdir={dir}/upper,workdir={dir}/work,redirect_dir=off",
        image.root.display(),
        dir = dir.path().display(),
    );
    let at = dir.path().join("site");
    let Some(_overlay) = Mounted::new(&["-t", "overlay", "overlay", "-o", &options], &at) else {
        return;
    };
    let home = Home::at(&at);
    let before = home.tree();
    let error = home.build(&site(&[("a", "2")])).unwrap_err().to_string();
    assert!(
        error.contains("this file system cannot move the folder"),
        "{error}"
    );
    assert_same(&home.tree(), &before, "when it cannot be moved");
    fs::remove_dir_all(home.output()).unwrap();
    home.build(&site(&[("a", "2")])).unwrap();
    // What was made in the container can be exchanged.
    home.build(&site(&[("a", "3")])).unwrap();
    assert_eq!(fs::read_to_string(home.output().join("a")).unwrap(), "3");
}

#[test]
fn an_old_file_that_cannot_be_removed_is_told_and_removed_later() {
    let home = Home::new();
    home.build(&site(&[("a", "1"), ("b", "1")])).unwrap();
    let Some(immutable) = Immutable::new(home.output().join("a")) else {
        return;
    };
    let written = home.build(&site(&[("a", "1"), ("b", "2")])).unwrap();
    let immutable = Immutable(home.path(".public.speedbook/new/a")).into_second(immutable);
    assert_eq!((written.written, written.unchanged), (1, 1));
    assert_eq!(written.remains.len(), 1);
    assert!(
        written.remains[0].contains(".public.speedbook/new"),
        "{written:?}"
    );
    assert_eq!(fs::read_to_string(home.output().join("b")).unwrap(), "2");

    // The next build says so again, and works.
    let written = home.build(&site(&[("a", "1"), ("b", "3")])).unwrap();
    assert_eq!(written.remains.len(), 1);
    assert_eq!(fs::read_to_string(home.output().join("b")).unwrap(), "3");
    drop(immutable);
    let written = home.build(&site(&[("a", "1"), ("b", "3")])).unwrap();
    assert_eq!(written.remains, Vec::<String>::new());
    assert_eq!(home.remains(), Vec::<String>::new());
}

impl Immutable {
    /// The same file under its new name.
    fn into_second(self, first: Immutable) -> Self {
        std::mem::forget(first);
        self
    }
}

/// Builds as a user who is not root; none where this process may not do so.
fn build_as_nobody(home: &Home) -> Option<String> {
    use std::os::unix::process::CommandExt;
    let mut command = child(home, "build b", true);
    match command.uid(65534).gid(65534).output() {
        Ok(done) => {
            assert_eq!(done.status.code(), Some(2), "{done:?}");
            Some(String::from_utf8(done.stderr).unwrap())
        }
        Err(error) => {
            println!("skipped: cannot become another user: {error}");
            None
        }
    }
}

fn set_mode(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

#[test]
fn without_write_permission_the_old_site_stays() {
    let home = Home::new();
    home.build(&small_site('a')).unwrap();
    let before = home.tree();
    set_mode(home.root.parent().unwrap(), 0o755);

    let Some(words) = build_as_nobody(&home) else {
        return;
    };
    assert!(words.contains("and `/"), "{words}");
    assert!(words.contains("cannot be written to: "), "{words}");
    assert!(words.contains("ermission denied"), "{words}");
    assert_same(&home.tree(), &before, "in a folder of root");

    // The folder around it may be written to, the output folder may not.
    fs::remove_dir_all(home.path(".public.speedbook")).unwrap();
    set_mode(&home.root, 0o777);
    let words = build_as_nobody(&home).unwrap();
    assert!(
        words.contains("cannot be exchanged with the new site"),
        "{words}"
    );
    assert!(
        words.contains("gen must be able to write to the output folder"),
        "{words}"
    );
    assert_same(&home.tree(), &before, "as a folder of root");
    home.build_cleanly(&small_site('a'), &before);
}
