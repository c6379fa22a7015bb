//! A bar on the terminal while a build takes long. Without colours, so that `NO_COLOR` has nothing
//! to change.

use std::io::IsTerminal;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A build that is done by then shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The bar of a build; gone from the terminal when this is dropped.
pub(super) struct Progress {
    bar: ProgressBar,
    /// Shows the bar once the patience is over. `None` where nothing may be shown.
    waiting: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Begins to wait. Nothing is ever shown if the user wants quiet, or if standard error is no
    /// terminal that can move its cursor.
    pub(super) fn begin(quiet: bool) -> Self {
        let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        if quiet || is_dumb || !std::io::stderr().is_terminal() {
            return Self {
                bar: ProgressBar::hidden(),
                waiting: None,
            };
        }
        let bar = ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::hidden());
        bar.set_style(style("{msg} {elapsed}"));
        bar.set_message("reading content");
        let (done, is_done) = channel::<()>();
        let shown = bar.clone();
        let waiting = std::thread::spawn(move || {
            if is_done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                shown.set_draw_target(ProgressDrawTarget::stderr());
                shown.enable_steady_tick(Duration::from_millis(200));
                // Until the build is done, or the bar dropped.
                let _ = is_done.recv();
            }
        });
        Self {
            bar,
            waiting: Some((done, waiting)),
        }
    }

    /// So many pages are to be made.
    pub(super) fn pages(&self, count: usize) {
        self.bar.set_style(style("{msg} [{bar:30}] {pos}/{len}"));
        self.bar.set_message("pages");
        self.bar
            .set_length(u64::try_from(count).unwrap_or(u64::MAX));
    }

    /// Takes the bar from the terminal, for something that must be said before the build ends.
    pub(super) fn clear(&self) {
        self.bar.finish_and_clear();
    }

    /// One page is made.
    pub(super) fn page(&self) {
        self.bar.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((done, waiting)) = self.waiting.take() {
            drop(done);
            let _ = waiting.join();
        }
        self.bar.finish_and_clear();
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template)
        .unwrap_or_else(|_| ProgressStyle::default_bar())
        .progress_chars("=> ")
}
