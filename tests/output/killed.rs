//! A process that builds two sites in turn, killed at random moments.

#![cfg(unix)]

use std::time::{Duration, SystemTime};

use speedbook::output::Stage;

use super::fixture::*;

/// Random numbers that can be had again: splitmix64.
struct Random(u64);

impl Random {
    /// From `SPEEDBOOK_TEST_SEED`, else from the clock; printed.
    fn seeded() -> Self {
        let seed = std::env::var("SPEEDBOOK_TEST_SEED")
            .ok()
            .and_then(|seed| seed.parse().ok())
            .unwrap_or_else(|| {
                let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
                now.unwrap().as_nanos() as u64
            });
        println!("SPEEDBOOK_TEST_SEED={seed}");
        Self(seed)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % limit
    }
}

/// Kills `kills` builds; with two renames, the folder may be missing until the next build begins.
fn kill_at_random(kills: usize, exchange: bool) {
    let sites = [big_site('a'), big_site('b')];
    let trees = [expected_tree(&sites[0]), expected_tree(&sites[1])];
    let home = Home::new();
    home.put_repository();
    home.build(&sites[0]).unwrap();
    let mut random = Random::seeded();
    let (mut seen, mut with_remains, mut missing) = ([0, 0], 0, 0);
    for kill in 0..kills {
        let mut child = start(&home, "alternate ab", exchange);
        std::thread::sleep(Duration::from_micros(3_000 + random.below(200_000)));
        child.kill().unwrap();
        child.wait().unwrap();

        with_remains += usize::from(!home.remains().is_empty());
        if !exchange && !home.output().exists() {
            missing += 1;
            drop(Stage::begin(&home.place()).unwrap());
        }
        let found = home.tree();
        match trees.iter().position(|tree| *tree == found) {
            Some(version) => seen[version] += 1,
            None => panic!(
                "kill {kill}: the tree is neither site: {:?}, {:?}",
                difference(&found, &trees[0]),
                difference(&found, &trees[1])
            ),
        }
        let next = random.below(2) as usize;
        home.build_cleanly(&sites[next], &trees[next]);
    }
    println!(
        "{kills} kills: {seen:?} of both sites, {with_remains} with remains, {missing} missing"
    );
    // Otherwise the kills came at the wrong moments and show nothing.
    assert!(with_remains > 0, "no build was killed at work");
}

#[test]
fn killed_at_random_moments_the_tree_is_one_site_or_the_other() {
    kill_at_random(48, true);
}

#[test]
fn killed_at_random_moments_with_two_renames_the_next_build_finds_the_old_site() {
    kill_at_random(24, false);
}
