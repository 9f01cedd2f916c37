//! The verbs of eaves.
//!
//! A verb is a file in [`verbs`]: a request, which is plain data, and the function that answers it. The command line, the
//! server and the Python package turn arguments, JSON and keyword arguments into requests and show the [`Answer`]; they
//! compute nothing. A [`Session`] keeps recordings in memory, so a second question about them reads no file.
//!
//! ```no_run
//! use eaves_app::{Context, Session, Verb, verbs::Report};
//!
//! let request = Report { inputs: vec!["trace.json.gz".into()], ..Report::default() };
//! let answer = request.run(&Context::new(&Session::default()))?;
//! println!("{} sections", answer.document.sections().count());
//! # Ok::<(), eaves_app::Failure>(())
//! ```

pub mod analysis;
mod answer;
pub mod catalog;
pub mod condition;
mod context;
pub mod device;
mod duration;
mod extent;
mod failure;
pub mod flame;
mod form;
pub mod ingesting;
pub mod machine;
mod measurements;
pub mod npu_config;
mod other_inputs;
mod output;
pub mod partial;
pub mod pictures;
pub mod profile_plan;
pub mod ray;
mod recordings;
pub mod running;
mod saved_report;
mod selection;
mod session;
mod text_value;
mod verb;
pub mod verbs;

pub use answer::{Answer, Caption, Drawing, Look, TooMuch, without_tables_for_programs};
pub use context::{Context, Keep, NextStep, Progress, Read, Reading, Silent};
pub use device::{Against, PeakUnit};
pub use duration::{Duration, Timeout};
pub use extent::Extent;
pub use failure::{Failure, FailureKind, hinted};
pub use form::Form;
pub use output::{OutputFile, Outputs, Screen, check_output};
pub use recordings::{Recordings, each};
pub use selection::{Ranks, Selected, Steps, Window};
pub use session::Session;
pub use verb::{Entry, HELP_TEMPLATE, Request, Verb, parse};
