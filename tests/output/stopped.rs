//! A build that ends at each named step, by an error and as if killed.

use std::io;

use speedbook::output::{Rehearsal, Step};

use super::fixture::*;

/// What the folder must hold when a build ended at a step: the old site, the new one, or none for
/// the moment between two renames.
fn expected<'a>(step: Step, old: &'a Tree, new: &'a Tree) -> &'a Tree {
    if step >= Step::Exchanged { new } else { old }
}

/// Whether a build takes this step at all.
fn is_taken(step: Step, exchange: bool, is_first: bool) -> bool {
    match step {
        Step::MovedAside => !exchange && !is_first,
        Step::DotFilesReturned | Step::OldRemoved => !is_first,
        _ => true,
    }
}

#[test]
fn killed_at_each_step_the_old_site_or_the_new_one_is_whole() {
    let (old, new) = (
        expected_tree(&small_site('a')),
        expected_tree(&small_site('b')),
    );
    for &step in Step::ALL {
        for exchange in [true, false] {
            let home = Home::new();
            home.put_repository();
            home.build(&small_site('a')).unwrap();
            let task = format!("end-at {}", step.name());
            let status = start(&home, &task, exchange).wait().unwrap();
            let is_taken = is_taken(step, exchange, false);
            assert_eq!(status.code(), Some(if is_taken { 7 } else { 0 }), "{task}");
            if !is_taken {
                continue;
            }
            if step == Step::MovedAside {
                // The documented moment: the next build puts the old site back before all else.
                assert!(!home.output().exists());
                let stage = speedbook::output::Stage::begin(&home.place()).unwrap();
                assert_same(&home.tree(), &old, &task);
                drop(stage);
            } else {
                assert_same(&home.tree(), expected(step, &old, &new), &task);
            }
            home.build_cleanly(&small_site('a'), &old);
        }
    }
}

#[test]
fn killed_at_each_step_of_the_first_build_there_is_nothing_or_the_new_site() {
    let home = Home::new();
    home.build(&small_site('b')).unwrap();
    let new = home.tree();
    for &step in Step::ALL {
        if !is_taken(step, true, true) {
            continue;
        }
        let home = Home::new();
        let task = format!("end-at {}", step.name());
        let status = start(&home, &task, true).wait().unwrap();
        assert_eq!(status.code(), Some(7), "{task}");
        assert_same(&home.tree(), expected(step, &Tree::new(), &new), &task);
        home.build_cleanly(&small_site('b'), &new);
    }
}

#[test]
fn an_error_at_each_step_leaves_the_old_site_or_the_new_one_and_nothing_beside_it() {
    let (old, new) = (
        expected_tree(&small_site('a')),
        expected_tree(&small_site('b')),
    );
    for &stop in Step::ALL {
        for exchange in [true, false] {
            if !is_taken(stop, exchange, false) {
                continue;
            }
            let home = Home::new();
            home.put_repository();
            home.build(&small_site('a')).unwrap();
            let rehearsal = Rehearsal {
                exchange,
                ..Rehearsal::watched(move |step| {
                    if step == stop {
                        return Err(io::Error::other("stopped by the test"));
                    }
                    Ok(())
                })
            };
            let error = build(&home.place(), &small_site('b'), rehearsal, 1).unwrap_err();
            assert!(error.to_string().contains("stopped by the test"), "{error}");
            assert_same(&home.tree(), expected(stop, &old, &new), stop.name());
            // After two renames only a test makes an error before the removal; the next build
            // does it then.
            if exchange || stop < Step::Exchanged {
                assert_eq!(home.remains(), Vec::<String>::new(), "{}", stop.name());
            }
            home.build_cleanly(&small_site('a'), &old);
        }
    }
}

#[test]
fn only_remains_of_builds_are_removed() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    for path in [
        "new/x",
        "new-2/y",
        "gone/z",
        "gone-7/z",
        "newspaper/mine",
        "mine",
    ] {
        home.put(&format!(".public.speedbook/{path}"), "");
    }
    home.put(".public.new/mine", "");
    home.put("public.old/mine", "");
    home.build(&site(&[("a", "2")])).unwrap();
    assert_eq!(home.remains(), ["mine", "newspaper"]);
    assert!(home.path(".public.new/mine").exists());
    assert!(home.path("public.old/mine").exists());
}

#[cfg(unix)]
#[test]
fn links_among_the_remains_are_not_followed() {
    let home = Home::new();
    home.build(&site(&[("a", "1")])).unwrap();
    home.put("precious/x", "");
    let work = home.path(".public.speedbook");
    fs_err::os::unix::fs::symlink(home.path("precious"), work.join("new")).unwrap();
    home.put(".public.speedbook/gone/y", "");
    fs_err::os::unix::fs::symlink(home.path("precious"), work.join("gone/link")).unwrap();
    home.build(&site(&[("a", "2")])).unwrap();
    assert!(home.path("precious/x").exists());
    assert_eq!(home.remains(), Vec::<String>::new());
}
