use super::*;
use crate::markdown::Outline;
use pulldown_cmark::{Event, Options, Parser};

fn shown(text: &str) -> Prose {
    let outline = Outline::of(text, "", &[]);
    let setting = Setting {
        outline: &outline,
        lower: 2,
        without_title: false,
        prefix: "",
    };
    prose(text, &setting, &|target| match target {
        "gone.md" => Destination::Nowhere,
        "pic.png" => Destination::Site {
            html: "../pic.png".to_owned(),
            markdown: Some("../pic.png".to_owned()),
            picture: true,
        },
        "other.md" => Destination::Site {
            html: "../other/".to_owned(),
            markdown: Some("../other/index.md".to_owned()),
            picture: false,
        },
        _ => Destination::AsWritten,
    })
}

#[test]
fn raw_html_becomes_text_in_both_forms() {
    let prose = shown(
        "# Big\n\n<script>alert(1)</script>\n\na <b onclick=x>bold</b> `<i>`\n\n<!-- x -->\n",
    );
    assert!(
        !prose.html.contains("<script") && !prose.html.contains("<b "),
        "{}",
        prose.html
    );
    assert!(prose.html.contains("<h3 id=\"big\">Big"), "{}", prose.html);
    let again = shown(&prose.markdown);
    assert!(
        !again.html.contains("<script") && !again.html.contains("<b "),
        "{}",
        again.html
    );
    let events = Parser::new_ext(&prose.markdown, Options::all());
    for event in events {
        assert!(
            !matches!(event, Event::Html(_) | Event::InlineHtml(_)),
            "{}",
            prose.markdown
        );
    }
}

#[test]
fn dangerous_links_lose_their_target_and_other_hosts_their_images() {
    let prose = shown(
        "[a](javascript:alert(1)) ![b](https://elsewhere/x.png) [c](https://ok) [e](gone.md)\n\n[d]: data:x\n[d]",
    );
    assert!(
        !prose.html.contains("javascript") && !prose.html.contains("<img"),
        "{}",
        prose.html
    );
    assert!(prose.html.contains("href=\"https://ok\""), "{}", prose.html);
    assert!(!prose.html.contains("gone"), "{}", prose.html);
    assert!(
        !prose.markdown.contains("javascript:") && !prose.markdown.contains("!["),
        "{}",
        prose.markdown
    );
}

#[test]
fn own_pictures_are_shown_also_in_links() {
    let prose = shown(
        "![A <b>\"x\"](pic.png) [![in](pic.png)](other.md) [a ![b](https://x/y)](other.md)\n",
    );
    let html = &prose.html;
    assert!(
        html.contains("<img src=\"../pic.png\" alt=\"A &lt;b&gt;&quot;x&quot;\""),
        "{html}"
    );
    assert!(
        html.contains("<a href=\"../other/\"><img src=\"../pic.png\" alt=\"in\""),
        "{html}"
    );
    assert!(html.contains("<a href=\"../other/\">a b</a>"), "{html}");
    assert!(
        prose.markdown.contains("(../other/index.md)")
            && prose.markdown.contains("![in](../pic.png)"),
        "{}",
        prose.markdown
    );
}

#[test]
fn everything_beyond_plain_text_is_shown() {
    let prose = shown(
        "## A *b*\n\n## A b\n\n> [!WARNING]\n> Take care\n\n- [x] done\n- [ ] open\n\n| a | b |\n|---|--:|\n| 1 | ~~2~~ |\n\nx[^n] y[^m] z[^n]\n\n[^m]: Second\n\n[^n]: First `c`\n\n```python\ndef f(): pass\n```\n\n```nosuch\n<b>\n```\n",
    );
    let html = &prose.html;
    for part in [
        "<h4 id=\"a-b\">A <em>b</em> <a class=\"anchor\" href=\"#a-b\"",
        "<h4 id=\"a-b-1\">",
        "<div class=\"alert warning\">\n<p class=\"alert-head\">Warning</p>",
        "aria-label=\"done\">☑</span> done",
        "<div class=\"scroll\" role=\"region\"",
        "<del>2</del>",
        "x<sup id=\"fnref:1\"><a href=\"#fn:1\">1</a></sup> y<sup id=\"fnref:2\"><a href=\"#fn:2\">2</a></sup> z<sup id=\"fnref:1-2\">",
        "<li id=\"fn:1\">\n<p>First <code>c</code></p>",
        "href=\"#fnref:1-2\"",
        "<pre tabindex=\"0\"><code><span class=\"sy-source sy-python\">",
        "<code>&lt;b&gt;\n</code>",
    ] {
        assert!(html.contains(part), "{part}\n{html}");
    }
    let again = shown(&prose.markdown);
    assert!(again.html.contains("alert warning") && again.html.contains("id=\"fn:2\""));
    assert!(prose.markdown.contains("[!WARNING]"), "{}", prose.markdown);
}
