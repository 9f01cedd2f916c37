//! Pictures of recordings in memory.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use eaves_analyze::flame::{self, FlameOptions, Metric};
use eaves_analyze::timeline::{self, Charts, RankChart, TIMELINE};
use eaves_analyze::{Measured, RankView, assemble, measure};
use eaves_present::timeline::svg;
use eaves_present::{Document, page, png, terminal};

use super::saving::{plain, save, save_bytes};
use super::{Failure, Recordings};
use eaves_app::Form as Format;
use eaves_app::flame::{Trees, View, measuring, name_of};

/// Frames that people see as text if they do not say how many.
const FLAME_ROWS: usize = 30;

/// The call tree of recordings, compared with that of others if there are any.
#[derive(Debug)]
pub struct FlameGraph {
    recordings: Arc<Recordings>,
    base: Option<Arc<Recordings>>,
    view: View,
    /// What was measured, by how it was: drawing the same again takes no other look at the recordings.
    measured: Mutex<Vec<(FlameOptions, Arc<Trees>)>>,
}

impl FlameGraph {
    /// The call tree, looked at in some way.
    ///
    /// # Errors
    /// If there is nothing of what is selected, or a comparison is to be in order of time.
    pub fn new(
        recordings: Arc<Recordings>,
        base: Option<Arc<Recordings>>,
        view: View,
    ) -> Result<Self, Failure> {
        if base.is_some() && view.order == flame::Order::Time {
            return Err(Failure::new(
                "a comparison has no order of time",
                "use the order left-heavy or inverted",
            ));
        }
        let graph = Self { recordings, base, view, measured: Mutex::default() };
        graph.trees(None)?;
        Ok(graph)
    }

    /// The trees as a format needs them.
    fn trees(&self, format: Option<Format>) -> Result<Arc<Trees>, Failure> {
        let wanted = measuring(self.view.order, format, self.base.is_some());
        let mut measured = self.measured.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, trees)) = measured.iter().find(|(options, _)| *options == wanted) {
            return Ok(trees.clone());
        }
        let parts = |recordings: &Recordings| {
            let options = recordings.options();
            recordings.each(|trace| flame::measure(&RankView::new(trace, &options), &wanted))
        };
        let new = parts(&self.recordings);
        let base = self.base.as_ref().map(|base| (base, parts(base)));
        let compared = base.as_ref().map(|(base, parts)| ((&base.run, parts.as_slice()), name_of(&base.run)));
        let trees = Trees::new((&self.recordings.run, &new), compared, &self.recordings.options())?;
        let trees = Arc::new(trees);
        measured.push((wanted, trees.clone()));
        Ok(trees)
    }

    /// What is drawn.
    ///
    /// # Errors
    /// None that [`Self::new`] has not told.
    pub fn metric(&self) -> Result<Metric, Failure> {
        Ok(self.trees(None)?.metric(&self.view))
    }

    /// What it is of.
    ///
    /// # Errors
    /// None that [`Self::new`] has not told.
    pub fn title(&self) -> Result<String, Failure> {
        Ok(self.trees(None)?.title().to_owned())
    }

    /// How it is looked at.
    pub fn view(&self) -> &View {
        &self.view
    }

    /// In a format.
    ///
    /// # Errors
    /// If there is nothing to draw, or the format cannot hold it.
    pub fn render(&self, format: Format) -> Result<Vec<u8>, Failure> {
        Ok(self.trees(Some(format))?.render(&self.view, format, &self.inputs())?)
    }

    /// The heaviest frames as text without colours.
    ///
    /// # Errors
    /// If there is nothing to draw.
    pub fn text(&self, options: &terminal::Options) -> Result<String, Failure> {
        let text = self.trees(None)?.text(&self.view, &self.inputs(), options)?;
        Ok(plain(&text))
    }

    fn inputs(&self) -> Document {
        let mut document = Document::new("flame", &self.recordings.run, Vec::new());
        if let Some(base) = &self.base {
            document.warnings.extend(Document::new("flame", &base.run, Vec::new()).warnings);
        }
        document
    }

    /// The frames as a section.
    ///
    /// # Errors
    /// None that [`Self::new`] has not told.
    pub fn document(&self) -> Result<Document, Failure> {
        let trees = self.trees(None)?;
        let (outcomes, tree) = (vec![trees.outcome(&self.view)], trees.nested(&self.view));
        Ok(Document { outcomes, tree, ..self.inputs() })
    }

    /// Writes a file in the form that its name asks for.
    ///
    /// # Errors
    /// If there is nothing to draw, or the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), Failure> {
        match Format::of(path) {
            Some(Format::Text) => {
                let options = terminal::Options { top: FLAME_ROWS, ..terminal::Options::default() };
                save_bytes(path, || Ok(self.text(&options)?.into_bytes()))
            }
            None | Some(Format::Json | Format::Csv | Format::Markdown) => save(&self.document()?, path, 0),
            Some(format) => save_bytes(path, || self.render(format)),
        }
    }
}

/// Recordings over time.
#[derive(Debug)]
pub struct Timeline {
    recordings: Arc<Recordings>,
    document: Document,
    charts: Vec<Option<Arc<RankChart>>>,
}

impl Timeline {
    /// The timeline.
    ///
    /// # Errors
    /// If there is nothing of what is selected.
    pub fn new(recordings: Arc<Recordings>) -> Result<Self, Failure> {
        let options = recordings.options();
        let measured = recordings.each(|trace| {
            let rank = RankView::new(trace, &options);
            (measure(&rank, &[&TIMELINE]), timeline::measure(&rank))
        });
        let (measured, charts): (Vec<Measured>, Vec<_>) = measured.into_iter().unzip();
        let outcomes = assemble(&recordings.run.recordings, &measured, &options, &[&TIMELINE])?;
        let document = Document::new("timeline", &recordings.run, outcomes);
        Ok(Self { recordings, document, charts })
    }

    /// The numbers.
    pub fn document(&self) -> &Document {
        &self.document
    }

    fn charts(&self) -> Charts<'_> {
        timeline::assemble(&self.recordings.run.recordings, &self.charts, &self.recordings.options())
    }

    /// A page to look around in.
    pub fn html(&self) -> String {
        page::timeline(&self.document, &self.charts())
    }

    /// A drawing, some pixels wide.
    pub fn svg(&self, width: u32) -> String {
        svg(&self.charts(), self.document.sections().next(), width)
    }

    /// Lines of text without colours.
    pub fn text(&self, options: &terminal::Options) -> String {
        plain(&terminal::render_timeline(&self.document, &self.charts(), options))
    }

    /// Writes a file in the form that its name asks for.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn save(&self, path: &Path, width: u32) -> Result<(), Failure> {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "html" | "htm" => save_bytes(path, || Ok(self.html().into_bytes())),
            "svg" => save_bytes(path, || Ok(self.svg(width).into_bytes())),
            "png" => save_bytes(path, || {
                png::render(&self.svg(width), png::SCREEN).map_err(|error| anyhow::Error::from(error).into())
            }),
            "txt" => save_bytes(path, || Ok(self.text(&terminal::Options::default()).into_bytes())),
            _ => save(&self.document, path, 0),
        }
    }
}
