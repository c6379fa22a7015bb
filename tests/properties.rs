//! Numbers, labels and texts: what is printed is read back.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    missing_docs
)]

mod support;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};
use speedbook::render::escape::markdown;
use speedbook::run::figure::{format_figure, parse_figure, power_of_ten};
use speedbook::run::{Context, Figure};

#[test]
fn printed_figures_are_read_back_with_their_steps() {
    support::check(
        10_000,
        (0u64..10_000_000_000, -3i32..=3),
        |(digits, exponent)| {
            let value: f64 = format!("{digits}e{exponent}").parse().unwrap();
            let figure = Figure::rounded(value, power_of_ten(exponent));
            prop_assert_eq!(parse_figure(&format_figure(figure, 0)), Ok(figure));
            Ok(())
        },
    );
}

#[test]
fn a_number_is_never_read_from_another_notation() {
    // Groups of digits between separators that are not English.
    let other = "[1-9][0-9]{0,2}[ .'\u{a0}\u{202f}][0-9]{3}([,.][0-9]{1,2})";
    support::check(10_000, other, |text: String| {
        prop_assert!(parse_figure(&text).is_err(), "{text}");
        Ok(())
    });
}

#[test]
fn labels_of_contexts_are_read_back() {
    let tokens = prop_oneof![
        0u64..4096,
        (0u64..4096).prop_map(|k| k << 10),
        (0u64..64).prop_map(|m| m << 20)
    ];
    support::check(10_000, tokens, |tokens| {
        let label = Context::from_tokens(tokens).label;
        prop_assert_eq!(
            Context::label_tokens(&label, 1 << 10, 1 << 20),
            Some(tokens),
            "{}",
            label
        );
        let read = Context::from_label(&label, true);
        prop_assert_eq!((read.tokens, read.derived), (Some(tokens), true));
        Ok(())
    });
}

/// What a reader of GitHub sees of a Markdown paragraph; `Err` with the first piece of markup.
fn seen(markdown: &str) -> Result<String, String> {
    let github = Options::ENABLE_TABLES
        | Options::ENABLE_FOOTNOTES
        | Options::ENABLE_STRIKETHROUGH
        | Options::ENABLE_TASKLISTS
        | Options::ENABLE_MATH
        | Options::ENABLE_GFM;
    let mut out = String::new();
    for event in Parser::new_ext(markdown, github) {
        match event {
            Event::Text(text) | Event::Code(text) => out.push_str(&text),
            Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph) => {}
            other => return Err(format!("markup in {markdown:?}: {other:?}")),
        }
    }
    Ok(out)
}

#[test]
fn escaped_text_is_shown_as_it_is() {
    support::check(10_000, "[ -~äβ×—]{1,30}", |text: String| {
        let text = text.trim();
        if !text.is_empty() {
            let escaped = markdown(text);
            prop_assert_eq!(seen(&escaped), Ok(text.to_owned()));
            prop_assert_eq!(seen(&format!("x {escaped}")), Ok(format!("x {text}")));
        }
        Ok(())
    });
}
