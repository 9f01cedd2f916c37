//! Collectives: what was called, on which group, how much it moved, and which calls of different ranks are the same.
//!
//! [`calls`] finds the calls of one recording, [`matching`] puts those of several ranks together, [`waiting`] says how the
//! time of each divides and who waited for whom. The sections `collectives` and `stragglers` are made of these.

mod calls;
mod covered;
mod element;
mod facts;
mod group;
mod kind;
mod list;
mod matching;
mod shapes;
mod waiting;

pub(crate) use calls::{Call, Calls, Row, SMALL_BYTES};
pub(crate) use group::{Group, GroupKey, Place};
pub(crate) use kind::Kind;
pub use list::{CollectiveCall, ElementType, collective_calls};
pub(crate) use matching::{Fate, Match, Matching, Member, Presence, StartSkew};
pub(crate) use waiting::{Divided, Parts, Rule, Wait, Waiting, Waits, divided_calls, waiting_of};
