//! Charts: each point where its figure says, nothing bridged that was not measured, nothing
//! unescaped, and colours that can be told from the ground.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::string_slice,
    missing_docs
)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use roxmltree::{Document, Node};
use speedbook::chart::marker::Look;
use speedbook::chart::plot::{Axis, Mark, Plot, Point, PointKind, Series};
use speedbook::chart::scale::Scale;
use speedbook::render::view::charts::{ChartView, charts};
use speedbook::render::{Templates, render};
use speedbook::run::audit::{Noise, Rule, audit};
use speedbook::run::{Context, Figure, Measurement, Metric, Phase, Run, Status};
use speedbook::site::{Outputs, Page, Site, SiteFacts};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).to_owned()
}

fn demo() -> Vec<Run> {
    let config = speedbook::config::load(&root()).unwrap();
    let content = speedbook::content::load(&root(), &config, &|_, _| {}).unwrap();
    content.runs.into_iter().map(|run| run.run).collect()
}

fn charts_of(run: &Run) -> Vec<ChartView> {
    charts(run, &audit(run, &Noise::default()))
}

/// All pictures of a chart.
fn pictures(chart: &ChartView) -> Vec<&str> {
    let variants: Vec<&str> = chart.variants.iter().map(|v| v.svg.as_str()).collect();
    if variants.is_empty() {
        vec![&chart.svg]
    } else {
        assert_eq!(variants[0], chart.svg);
        variants
    }
}

fn has_class(node: Node, class: &str) -> bool {
    let classes = node.attribute("class").unwrap_or_default();
    classes.split(' ').any(|c| c == class)
}

fn number(node: Node, name: &str) -> f64 {
    node.attribute(name).unwrap().parse().unwrap()
}

/// Where a point stands: a circle's middle, or where its path begins.
fn place(node: Node) -> (f64, f64) {
    match node.attribute("d") {
        None => (number(node, "cx"), number(node, "cy")),
        Some(d) => {
            let d = d.strip_prefix('M').unwrap();
            let head = d.split('m').next().unwrap();
            let (x, y) = head.split_once(' ').unwrap();
            (x.parse().unwrap(), y.parse().unwrap())
        }
    }
}

/// The measured points of a picture by their anchor, each once.
fn points(svg: &str) -> BTreeMap<String, (f64, f64)> {
    let document = Document::parse(svg).unwrap();
    let mut found = BTreeMap::new();
    let nodes = document.descendants();
    for node in nodes.filter(|n| has_class(*n, "point") && !has_class(*n, "mark")) {
        let cell = node.attribute("data-cell").unwrap().to_owned();
        assert!(
            found.insert(cell.clone(), place(node)).is_none(),
            "{cell} twice"
        );
    }
    found
}

/// An axis as a reader sees it: what stands beside its first and its last name.
struct Seen {
    first: (f64, f64),
    last: (f64, f64),
}

impl Seen {
    fn of(svg: &str, is_y: bool) -> Self {
        let document = Document::parse(svg).unwrap();
        let axis = document
            .descendants()
            .find(|n| has_class(*n, "axis"))
            .unwrap();
        let named: Vec<(f64, f64)> = axis
            .children()
            .filter(|n| n.has_tag_name("text") && !has_class(*n, "axis-name"))
            .filter(|n| has_class(*n, "end") == is_y)
            .map(|n| {
                let at = if is_y {
                    number(n, "y") - 4.5
                } else {
                    number(n, "x")
                };
                (n.text().unwrap().replace(',', "").parse().unwrap(), at)
            })
            .collect();
        Self {
            first: named[0],
            last: named[named.len() - 1],
        }
    }

    /// Where a value must stand.
    fn at(&self, value: f64, log: bool) -> f64 {
        let of = |v: f64| if log { v.ln() } else { v };
        let share = (of(value) - of(self.first.0)) / (of(self.last.0) - of(self.first.0));
        self.first.1 + share * (self.last.1 - self.first.1)
    }
}

#[test]
fn each_point_of_the_reports_stands_once_and_where_its_figure_says() {
    let (mut reports, mut gaps) = (0, 0);
    for run in demo() {
        if run.decode.len() < 20 {
            continue;
        }
        reports += 1;
        let cells: Vec<(String, &Measurement)> = run
            .anchors(Phase::Decode)
            .into_iter()
            .zip(&run.decode)
            .collect();
        let check = |svg: &str, x: &dyn Fn(&Measurement) -> Option<f64>, y: Metric, log_y: bool| {
            let found = points(svg);
            let (across, up) = (Seen::of(svg, false), Seen::of(svg, true));
            let mut seen = 0;
            for (anchor, m) in &cells {
                let (Some(x), Some(y)) = (x(m), m.value(y)) else {
                    assert!(!found.contains_key(anchor), "{anchor}");
                    continue;
                };
                let at = found[anchor];
                assert!(
                    (at.0 - across.at(x, true)).abs() < 0.2,
                    "{anchor} {at:?} {x}"
                );
                assert!((at.1 - up.at(y, log_y)).abs() < 0.2, "{anchor} {at:?} {y}");
                seen += 1;
            }
            assert_eq!(seen, found.len());
            assert!(seen >= 40);
        };
        let by_id: BTreeMap<&str, ChartView> =
            charts_of(&run).into_iter().map(|c| (c.id, c)).collect();
        let asked = |m: &Measurement| Some(m.concurrency as f64);
        check(
            &by_id["chart-total"].svg,
            &asked,
            Metric::TotalTokPerS,
            false,
        );
        check(&by_id["chart-ttft"].svg, &asked, Metric::TtftMs, true);
        let each = &by_id["chart-each"];
        let own = |m: &Measurement| m.value(Metric::PerRequestTokPerS);
        check(&each.svg, &own, Metric::TotalTokPerS, true);
        let findings = audit(&run, &Noise::default());
        let gap = findings.iter().any(|f| f.rule == Rule::PerRequestGap);
        assert_eq!(each.variants.len(), if gap { 2 } else { 0 });
        gaps += usize::from(gap);
        if let Some(variant) = each.variants.get(1) {
            let share = |m: &Measurement| {
                Some(m.value(Metric::TotalTokPerS)? / m.value(Metric::ActiveRequests)?)
            };
            check(&variant.svg, &share, Metric::TotalTokPerS, true);
        }
        // Bars are as long as their rates.
        let bars = Document::parse(&by_id["chart-prefill"].svg).unwrap();
        let lengths: Vec<f64> = bars
            .descendants()
            .filter(|n| has_class(*n, "bar"))
            .map(|n| {
                let d = n.attribute("d").unwrap();
                let right = d.split('h').nth(1).unwrap();
                right.split('v').next().unwrap().parse().unwrap()
            })
            .collect();
        let rates: Vec<f64> = run
            .prefill
            .iter()
            .filter_map(|m| m.value(Metric::PrefillTokPerS))
            .collect();
        assert_eq!(lengths.len(), rates.len());
        for (length, rate) in lengths.iter().zip(&rates) {
            let share = length / lengths[0] / (rate / rates[0]);
            assert!((share - 1.0).abs() < 0.01, "{lengths:?} {rates:?}");
        }
    }
    assert_eq!((reports, gaps), (2, 1));
}

#[test]
fn pictures_are_small_and_say_what_they_show() {
    for run in demo() {
        let all = charts_of(&run);
        let size: usize = all.iter().map(|chart| chart.svg.len()).sum();
        assert!(size <= 40_000, "{}: {size} bytes", run.slug);
        let with_variants: usize = all.iter().flat_map(pictures).map(str::len).sum();
        assert!(with_variants <= 52_000, "{}: {with_variants}", run.slug);
        for chart in &all {
            for svg in pictures(chart) {
                let document = Document::parse(svg).unwrap();
                let picture = document.root_element();
                let named: Vec<String> = picture
                    .children()
                    .filter(|n| n.has_tag_name("title") || n.has_tag_name("desc"))
                    .map(|n| {
                        assert!(!n.text().unwrap_or_default().trim().is_empty());
                        n.attribute("id").unwrap().to_owned()
                    })
                    .collect();
                assert_eq!(
                    picture.attribute("aria-labelledby").unwrap(),
                    named.join(" ")
                );
                let better = document
                    .descendants()
                    .filter(|n| has_class(*n, "axis-name"))
                    .any(|n| n.text().unwrap().contains("better"));
                assert!(better, "{}", chart.id);
            }
        }
    }
    let css = fs_err::read(root().join("themes/default/static/charts.css")).unwrap();
    assert!(css.len() <= 5_000, "{} bytes", css.len());
}

fn cell(label: &str, concurrency: u64, status: Status, figures: &[(Metric, f64)]) -> Measurement {
    Measurement {
        context: Context::from_label(label, true),
        concurrency,
        status,
        figures: figures
            .iter()
            .map(|(metric, value)| (*metric, Figure::exact(*value)))
            .collect(),
        ..Measurement::default()
    }
}

fn run_of(decode: Vec<Measurement>, prefill: Vec<Measurement>) -> Run {
    let mut run = Run {
        decode,
        prefill,
        ..Run::new()
    };
    run.sort();
    run
}

fn ids(run: &Run) -> Vec<&'static str> {
    charts_of(run).iter().map(|chart| chart.id).collect()
}

/// How many points each stroke of the lines has, by context.
fn strokes(svg: &str) -> BTreeMap<String, Vec<usize>> {
    let document = Document::parse(svg).unwrap();
    document
        .descendants()
        .filter(|n| has_class(*n, "line"))
        .map(|line| {
            let way = line.children().find(|n| has_class(*n, "way"));
            let d = way.map_or("", |n| n.attribute("d").unwrap());
            let strokes = d.split('M').skip(1).map(|stroke| {
                let numbers = stroke.split(['L', ' ']).count();
                assert_eq!(numbers % 2, 0);
                numbers / 2
            });
            let name = line.attribute("data-context").unwrap().to_owned();
            (name, strokes.collect())
        })
        .collect()
}

#[test]
fn no_line_goes_over_what_was_not_measured() {
    let total = |v: f64| [(Metric::TotalTokPerS, v)];
    let mut cells = Vec::new();
    for level in [1, 2, 4, 8, 16, 32] {
        let status = match level {
            8 => Status::OverCapacity,
            32 => Status::Queued,
            _ => Status::Valid,
        };
        let figures: &[(Metric, f64)] = if level == 8 {
            &[]
        } else {
            &total(level as f64)
        };
        cells.push(cell("8K", level, status, figures));
        // A level of the other context that was not asked for here.
        if level != 4 {
            cells.push(cell(
                "16K",
                level,
                Status::Valid,
                &total(level as f64 / 2.0),
            ));
        }
    }
    // A failed cell may have a figure of what was left of it.
    cells.push(cell("32K", 1, Status::Valid, &total(1.0)));
    cells.push(cell("32K", 2, Status::Failed, &total(9.0)));
    cells.push(cell("32K", 4, Status::Valid, &total(3.0)));
    let run = run_of(cells, Vec::new());
    let all = charts_of(&run);
    let svg = &all[0].svg;
    let strokes = strokes(svg);
    assert_eq!(strokes["8K"], [3, 2]);
    assert_eq!(strokes["16K"], [2, 3]);
    assert_eq!(strokes["32K"], [] as [usize; 0]);
    let found = points(svg);
    assert_eq!(found.len(), 5 + 5 + 2);
    assert!(!found.contains_key("c8k-n8") && !found.contains_key("c32k-n2"));
    assert!(svg.contains("class=\"point hollow\" data-cell=\"c8k-n32\""));
    assert_eq!(svg.matches("point hollow").count(), 1);
    assert!(all[0].sentence.contains("Hollow: requests queued."));
}

#[test]
fn small_runs_have_the_charts_that_make_sense() {
    let figures = |n: u64| {
        [
            (Metric::TotalTokPerS, 10.0 * n as f64),
            (Metric::TtftMs, 100.0 + n as f64),
        ]
    };
    let valid = |label: &str, n: u64| cell(label, n, Status::Valid, &figures(n));
    // One cell: nothing to draw.
    assert_eq!(ids(&run_of(vec![valid("8K", 4)], vec![])), [] as [&str; 0]);
    // One context: lines by requests.
    let row = run_of(vec![valid("8K", 1), valid("8K", 4)], vec![]);
    assert_eq!(ids(&row), ["chart-total", "chart-each", "chart-ttft"]);
    let each = charts_of(&row).remove(1).svg;
    assert!(each.contains("total tok/s ÷ requests asked for"), "{each}");
    // One concurrency: by context.
    let column = run_of(vec![valid("8K", 4), valid("16K", 4)], vec![]);
    assert_eq!(ids(&column), ["chart-total", "chart-ttft"]);
    let by_context = charts_of(&column);
    assert!(by_context[0].sentence.contains("by context length"));
    assert_eq!(strokes(&by_context[0].svg)["× 4"], [2]);
    // Only prefill.
    let rate = |label: &str, v: f64| cell(label, 1, Status::Valid, &[(Metric::PrefillTokPerS, v)]);
    let prefill = vec![rate("8K", 9.0), rate("16K", 8.0)];
    assert_eq!(ids(&run_of(vec![], prefill)), ["chart-prefill"]);
    assert_eq!(ids(&run_of(vec![], vec![rate("8K", 9.0)])), [] as [&str; 0]);
    // All failed.
    let failed = |n| cell("8K", n, Status::Failed, &[]);
    assert_eq!(
        ids(&run_of(vec![failed(1), failed(2)], vec![])),
        [] as [&str; 0]
    );
    // Burst only where there is nothing else, and said so.
    let mut burst = Run::new();
    burst.burst = vec![valid("8K", 1), valid("8K", 4)];
    let all = charts_of(&burst);
    assert_eq!(all[0].heading, "Total throughput, burst");
    assert_eq!(all[0].table_link, "#burst");
    assert!(all[0].svg.contains("data-cell=\"c8k-n4-burst\""));
}

#[test]
fn per_request_figures_are_never_mixed() {
    let with = |n: u64, more: &[(Metric, f64)]| {
        let mut figures = vec![(Metric::TotalTokPerS, 10.0 * n as f64)];
        figures.extend(more);
        cell("8K", n, Status::Valid, &figures)
    };
    let axis = |cells: Vec<Measurement>| {
        let all = charts_of(&run_of(cells, vec![]));
        let each = all.into_iter().find(|c| c.id == "chart-each").unwrap();
        (points(&each.svg).len(), each.svg, each.variants.len())
    };
    let active = (Metric::ActiveRequests, 2.0);
    let (n, svg, _) = axis(vec![with(1, &[active]), with(2, &[active])]);
    assert!(n == 2 && svg.contains("÷ active requests"));
    // One cell without: all by what was asked for.
    let (n, svg, _) = axis(vec![with(1, &[active]), with(2, &[active]), with(4, &[])]);
    assert!(n == 3 && svg.contains("÷ requests asked for") && !svg.contains("÷ active"));
    let own = |v| (Metric::PerRequestTokPerS, v);
    let (n, svg, variants) = axis(vec![
        with(1, &[own(9.0)]),
        with(2, &[own(9.0)]),
        with(4, &[]),
    ]);
    assert!(n == 2 && svg.contains("the tool's own figure"));
    assert_eq!(variants, 0);
    let (_, _, variants) = axis(vec![with(1, &[own(7.0)]), with(2, &[own(7.0)])]);
    assert_eq!(variants, 2);
}

#[test]
fn a_cold_cache_and_a_doubted_prefill_are_marked() {
    let ttft = |label: &str, n: u64, v: f64| cell(label, n, Status::Valid, &[(Metric::TtftMs, v)]);
    let prefill = |label: &str, rate: f64, v: f64| {
        let figures = [(Metric::PrefillTokPerS, rate), (Metric::TtftMs, v)];
        cell(label, 1, Status::Valid, &figures)
    };
    let run = run_of(
        vec![ttft("64K", 1, 5000.0), ttft("64K", 2, 1000.0)],
        vec![prefill("8K", 1000.0, 600.0), prefill("64K", 9000.0, 5000.0)],
    );
    let all = charts_of(&run);
    assert!(
        all[0]
            .svg
            .contains("class=\"point star\" data-cell=\"c64k-n1\"")
    );
    assert!(
        all[0]
            .svg
            .contains("class=\"point mark\" data-cell=\"p64k\"")
    );
    assert!(
        all[0]
            .sentence
            .contains("Stars: the prompt cache was not warm")
    );
    assert!(all[0].sentence.contains("Triangles at the left"));
    assert!(all[1].svg.contains("point bar doubted"));
    assert!(all[1].svg.contains(", doubted"));
}

#[test]
fn any_run_gives_whole_pictures() {
    support::check(200, support::run(), |run| {
        let anchors: BTreeSet<String> = Phase::ALL
            .iter()
            .flat_map(|phase| run.anchors(*phase))
            .map(|anchor| anchor.chars().filter(|c| !c.is_control()).collect())
            .collect();
        let longest =
            |m: &Measurement| m.context.label.len() + m.status_text.as_ref().map_or(0, String::len);
        let texts = Phase::ALL
            .iter()
            .flat_map(|phase| run.phase(*phase))
            .map(longest)
            .max();
        for chart in charts_of(&run) {
            for svg in pictures(&chart) {
                let document = Document::parse(svg)
                    .map_err(|error| TestCaseError::fail(format!("{error}: {svg}")))?;
                prop_assert!(
                    svg.len() < 10_000 + 60 * 6 * texts.unwrap_or(0),
                    "{}",
                    svg.len()
                );
                for node in document.descendants() {
                    let known = [
                        "svg", "g", "path", "circle", "text", "tspan", "title", "desc",
                    ];
                    let name = node.tag_name().name();
                    prop_assert!(!node.is_element() || known.contains(&name), "{name}");
                    for key in ["d", "cx", "cy", "x", "y", "viewBox"] {
                        let value = node.attribute(key).unwrap_or_default();
                        let fit = value
                            .chars()
                            .all(|c| "0123456789.- MmLlHhVvAaz".contains(c));
                        prop_assert!(fit, "{key}={value}");
                    }
                    if let Some(cell) = node.attribute("data-cell") {
                        prop_assert!(anchors.contains(cell), "{cell:?}");
                    }
                }
            }
        }
        Ok(())
    });
}

#[test]
fn names_of_runs_stay_text() {
    let figures = |n: u64| [(Metric::TotalTokPerS, n as f64)];
    let label = "<script>\"&'";
    let run = run_of(
        vec![
            cell(label, 1, Status::Valid, &figures(1)),
            cell(label, 2, Status::Valid, &figures(2)),
        ],
        vec![],
    );
    for chart in charts_of(&run) {
        assert!(!chart.svg.contains("<script"));
        assert!(chart.svg.contains("&lt;script&gt;&quot;&amp;"));
    }
}

fn page(run: &Run, charts: bool) -> String {
    let facts = SiteFacts {
        outputs: Outputs {
            charts,
            ..Outputs::default()
        },
        ..SiteFacts::default()
    };
    let site = Site::new(facts, vec![run.clone()]);
    let templates = Templates::default_theme().unwrap();
    let files = render(&site, Page::Run(0), &templates).unwrap();
    let html = files.into_iter().find(|f| f.path.ends_with("index.html"));
    String::from_utf8(html.unwrap().bytes).unwrap()
}

#[test]
fn charts_can_be_left_out() {
    for run in demo() {
        let (with, without) = (page(&run, true), page(&run, false));
        assert!(with.contains("<h2 id=\"charts\">") && with.contains("/charts."));
        assert!(!without.contains("<svg") && !without.contains("charts"));
    }
}

#[test]
fn a_plot_is_the_same_bytes() {
    let point = |x: f64, y: f64, kind| {
        Some(Point {
            x,
            y,
            cell: format!("c8k-n{x}"),
            words: format!("8K × {x}: {y} tok/s"),
            kind,
            label: String::new(),
        })
    };
    let line = |at: usize, name: &str, points| Series {
        name: name.to_owned(),
        look: Look::of(at, 2),
        points,
        mark: None,
    };
    let plot = Plot {
        id: "chart-total".to_owned(),
        title: "Total".to_owned(),
        description: "Two lines.".to_owned(),
        x: Axis {
            title: "requests".to_owned(),
            scale: Scale::Log { from: 1.0, to: 4.0 },
            ticks: Axis::named(vec![1.0, 2.0, 4.0]),
            grid: false,
        },
        y: Axis {
            title: "tok/s · better ↑".to_owned(),
            scale: Scale::zero_to(200.0),
            ticks: Axis::named(vec![0.0, 100.0, 200.0]),
            grid: true,
        },
        series: vec![
            line(
                0,
                "8K",
                vec![
                    point(1.0, 80.0, PointKind::Full),
                    point(2.0, 120.0, PointKind::Full),
                    point(4.0, 180.0, PointKind::Hollow),
                ],
            ),
            Series {
                mark: Some(Mark {
                    y: 50.0,
                    cell: "p16k".to_owned(),
                    words: "16K prefill".to_owned(),
                }),
                ..line(
                    1,
                    "16K",
                    vec![
                        point(1.0, 70.0, PointKind::Star),
                        None,
                        point(4.0, 175.0, PointKind::Full),
                    ],
                )
            },
        ],
        guide: Some((
            "ideal".to_owned(),
            vec![(1.0, 80.0), (2.0, 160.0), (4.0, 320.0)],
        )),
        frontier: vec![(2.0, 120.0), (4.0, 90.0)],
        names_at_ends: true,
        room: Vec::new(),
    };
    insta::assert_snapshot!("a_small_plot", plot.svg());
}

/// Relative luminance (WCAG 2.2) of a colour of the stylesheets: `#rrggbb`, or `oklch(L C H)` by
/// the matrices of B. Ottosson's Oklab.
fn luminance(colour: &str) -> f64 {
    if let Some(hex) = colour.strip_prefix('#') {
        let part = |at: usize| {
            let c = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if c <= 0.040_45 {
                c / 12.92
            } else {
                ((c + 0.055) / 1.055).powf(2.4)
            }
        };
        return 0.2126 * part(0) + 0.7152 * part(2) + 0.0722 * part(4);
    }
    let inner = colour
        .strip_prefix("oklch(")
        .unwrap()
        .strip_suffix(')')
        .unwrap();
    let numbers: Vec<f64> = inner.split(' ').map(|n| n.parse().unwrap()).collect();
    let (light, a, b) = (
        numbers[0],
        numbers[1] * numbers[2].to_radians().cos(),
        numbers[1] * numbers[2].to_radians().sin(),
    );
    let l = (light + 0.396_337_777_4 * a + 0.215_803_757_3 * b).powi(3);
    let m = (light - 0.105_561_345_8 * a - 0.063_854_172_8 * b).powi(3);
    let s = (light - 0.089_484_177_5 * a - 1.291_485_548_0 * b).powi(3);
    let clip = |c: f64| {
        assert!((-0.02..=1.02).contains(&c), "{colour} is outside sRGB: {c}");
        c.clamp(0.0, 1.0)
    };
    let red = clip(4.076_741_662_1 * l - 3.307_711_591_3 * m + 0.230_969_929_2 * s);
    let green = clip(-1.268_438_004_6 * l + 2.609_757_401_1 * m - 0.341_319_396_5 * s);
    let blue = clip(-0.004_196_086_3 * l - 0.703_418_614_7 * m + 1.707_614_701_0 * s);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/// The two values of a variable: light, dark.
fn pair(css: &str, name: &str) -> [f64; 2] {
    let head = format!("{name}: light-dark(");
    let at = css.find(&head).unwrap_or_else(|| panic!("no {name}")) + head.len();
    let value = &css[at..at + css[at..].find(");").unwrap()];
    let (light, dark) = value.split_once(", ").unwrap();
    [luminance(light), luminance(dark)]
}

fn contrast(a: f64, b: f64) -> f64 {
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

#[test]
fn lines_can_be_told_from_the_ground_and_from_each_other() {
    let folder = root().join("themes/default/static");
    let css = fs_err::read_to_string(folder.join("charts.css")).unwrap();
    let page = fs_err::read_to_string(folder.join("style.css")).unwrap();
    let ground = pair(&page, "--ground");
    let dim = pair(&page, "--dim");
    let frontier = pair(&css, "--frontier");
    for scheme in [0, 1] {
        assert!(contrast(dim[scheme], ground[scheme]) >= 4.5);
        let lines: Vec<f64> = (1..=8)
            .map(|i| pair(&css, &format!("--l{i}"))[scheme])
            .collect();
        for (i, line) in lines.iter().enumerate() {
            let ratio = contrast(*line, ground[scheme]);
            assert!(ratio >= 3.0, "--l{} in scheme {scheme}: {ratio:.2}", i + 1);
        }
        // Each further from the ground than the one before.
        for two in lines.windows(2) {
            let step = contrast(two[1], ground[scheme]) / contrast(two[0], ground[scheme]);
            assert!(step > 1.08, "scheme {scheme}: {step:.3}");
        }
        // The frontier lies below lines, which stay visible on it.
        assert!(contrast(lines[0], frontier[scheme]) >= 1.9);
    }
}
