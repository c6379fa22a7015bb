//! The default theme's style sheets: contrast of text on every ground in both schemes (WCAG 2.2,
//! 1.4.3), and that each variable is documented.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The colours of the style sheet by their variables: for the light and for the dark scheme.
fn colours() -> BTreeMap<String, [String; 2]> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("themes/default/static");
    let read = |name: &str| fs_err::read_to_string(folder.join(name)).unwrap();
    let css = read("style.css") + &read("compare.css");
    let pair = regex::Regex::new(r"--([a-z0-9-]+): light-dark\((#[0-9a-f]{6}), (#[0-9a-f]{6})\);")
        .unwrap();
    let found = pair.captures_iter(&css).map(|found| {
        let part = |at: usize| found[at].to_owned();
        (part(1), [part(2), part(3)])
    });
    found.collect()
}

/// Relative luminance (WCAG 2.2).
fn luminance(colour: &str) -> f64 {
    let channel = |at: usize| {
        let value = f64::from(u8::from_str_radix(&colour[at..at + 2], 16).unwrap()) / 255.0;
        if value <= 0.04045 {
            value / 12.92
        } else {
            ((value + 0.055) / 1.055).powf(2.4)
        }
    };
    0.2126 * channel(1) + 0.7152 * channel(3) + 0.0722 * channel(5)
}

fn contrast(a: &str, b: &str) -> f64 {
    let (a, b) = (luminance(a), luminance(b));
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

fn assert_contrast(text: &str, ground: &str, least: f64) {
    let colours = colours();
    for scheme in [0, 1] {
        let of = |name: &str| {
            let pair = colours.get(name);
            pair.unwrap_or_else(|| panic!("no --{name}"))[scheme].clone()
        };
        let found = contrast(&of(text), &of(ground));
        assert!(
            found >= least,
            "--{text} on --{ground} is {found:.2}:1 in the {} scheme",
            ["light", "dark"][scheme]
        );
    }
}

#[test]
fn the_formula_is_that_of_wcag() {
    assert!((contrast("#ffffff", "#000000") - 21.0).abs() < 1e-9);
    // A grey that the guidelines' own examples give as 4.54:1 on white.
    assert!((contrast("#767676", "#ffffff") - 4.54).abs() < 0.005);
}

#[test]
fn text_is_readable_on_every_class_of_the_matrix() {
    for class in 1..=7 {
        assert_contrast(&format!("q{class}-ink"), &format!("q{class}"), 4.5);
    }
}

#[test]
fn text_is_readable_on_every_class_of_a_comparison() {
    for side in ["faster", "slower"] {
        for class in 1..=4 {
            assert_contrast(
                &format!("{side}{class}-ink"),
                &format!("{side}{class}"),
                4.5,
            );
        }
    }
}

#[test]
fn text_is_readable_on_every_ground() {
    for ground in ["ground", "panel", "code", "pressed", "hatch"] {
        for text in ["ink", "dim", "accent", "warn"] {
            assert_contrast(text, ground, 4.5);
        }
    }
    for text in ["string", "flag"] {
        assert_contrast(text, "code", 4.5);
    }
}

#[test]
fn more_is_further_from_the_ground() {
    let colours = colours();
    for scheme in [0, 1] {
        let far: Vec<f64> = (1..=7)
            .map(|class| {
                contrast(
                    &colours[&format!("q{class}")][scheme],
                    &colours["ground"][scheme],
                )
            })
            .collect();
        assert!(far.is_sorted_by(|a, b| a * 1.1 < *b), "{far:?}");
    }
}

/// Colours; other variables are the business of the sheet that uses them.
#[test]
fn every_variable_is_documented() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let definition = regex::Regex::new(r"--([a-z0-9-]+): light-dark\(").unwrap();
    let mut defined = BTreeSet::new();
    for entry in fs_err::read_dir(root.join("themes/default/static")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "css") {
            let css = fs_err::read_to_string(path).unwrap();
            defined.extend(
                definition
                    .captures_iter(&css)
                    .map(|found| found[1].to_owned()),
            );
        }
    }
    let document = fs_err::read_to_string(root.join("docs/themes.md")).unwrap();
    let table = document.split("<!-- variables -->").nth(1).unwrap();
    let (table, _) = table.split_once("<!-- end of variables -->").unwrap();
    let row = regex::Regex::new(r"(?m)^\| `--([a-z0-9-]+)`(?: … `--([a-z0-9-]+)`)? \|").unwrap();
    let mut documented = BTreeSet::new();
    for found in row.captures_iter(table) {
        let first = found[1].to_owned();
        match found.get(2) {
            // `--q1-ink` … `--q7-ink`: the digit counts.
            Some(last) => {
                let at = first.find(|c: char| c.is_ascii_digit()).unwrap();
                let to: usize = last.as_str()[at..at + 1].parse().unwrap();
                let from: usize = first[at..at + 1].parse().unwrap();
                for nth in from..=to {
                    documented.insert(format!("{}{nth}{}", &first[..at], &first[at + 1..]));
                }
            }
            None => {
                documented.insert(first);
            }
        }
    }
    assert_eq!(defined, documented);
}
