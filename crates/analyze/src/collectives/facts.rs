//! What is known of one call, from whichever record says it: the kernel's own arguments, the operator around its
//! launch, the annotation around its launch, its name.

use std::collections::HashMap;

use eaves_model::{Collective, GpuId, MaybeI64, SliceId, SliceKind, StringId, Trace};

use super::element::Element;
use super::group::{Group, Place, SoleGroup};
use super::kind::{Kind, NO_SIZE};
use super::shapes;
use crate::RankView;

const NO_ELEMENT: &str = "unknown element size";

/// What is known of one call. Texts are ids, so that a call costs no memory of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Facts {
    pub(super) kind: Kind,
    /// The name of a call of no known kind.
    pub(super) name: StringId,
    /// Element type: its name, or what the recording says if that is not known.
    pub(super) element: ElementName,
    /// Index into the groups.
    pub(super) group: u32,
    pub(super) bytes: Result<i64, &'static str>,
}

impl Facts {
    fn new(
        kind: Kind,
        name: StringId,
        element: ElementName,
        group: u32,
        bytes: Result<i64, &'static str>,
    ) -> Self {
        let name = if kind == Kind::Other { name } else { StringId::NONE };
        // No sound recorder writes a size below nothing.
        let bytes = bytes.and_then(|bytes| if bytes >= 0 { Ok(bytes) } else { Err(NO_SIZE) });
        Self { kind, name, element, group, bytes }
    }
}

/// What a record says of one call, and which of its group's calls it is, if it says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub(super) facts: Facts,
    pub(super) sequence: MaybeI64,
}

/// What an operator around a launch says of the call.
#[derive(Clone, Copy, Debug)]
struct Payload {
    kind: Kind,
    elements: i64,
    element: Element,
}

/// The name of an element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum ElementName {
    Known(&'static str),
    AsWritten(StringId),
    NotRecorded,
}

/// Host annotations around collectives: `library:operation`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Annotation {
    /// The work itself is done inside, on a thread.
    Work,
    /// Only the call; the work is done on a device.
    Launch,
}

impl Annotation {
    fn of(name: &str) -> Option<Self> {
        let (library, _) = name.split_once(':')?;
        match library {
            "gloo" | "mpi" => Some(Self::Work),
            "cncl" | "hccl" | "nccl" | "oneccl" | "rccl" | "ucc" | "xccl" => Some(Self::Launch),
            _ => None,
        }
    }
}

/// What tells groups of one recording apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum GroupKey {
    /// Name and ranks.
    Named(Place, StringId, StringId),
    /// Stream, and the size if calls have one of their own.
    Unnamed(Place, MaybeI64, Option<u32>),
}

/// How many slices around a launch to look at: `record_param_comms` and `nccl:...` stand directly around it.
const NEAREST: usize = 32;

/// Looks facts up.
pub(super) struct FactFinder<'a> {
    rank: &'a RankView<'a>,
    trace: &'a Trace,
    sole: SoleGroup<'a>,
    annotations: HashMap<StringId, Annotation>,
    /// True if any record says which of its group's calls it is.
    is_numbered: bool,
    kinds: HashMap<StringId, Kind>,
    pub(super) groups: Vec<Group>,
    group_index: HashMap<GroupKey, u32>,
}

impl<'a> FactFinder<'a> {
    pub(super) fn new(rank: &'a RankView<'a>) -> Self {
        let trace = rank.trace;
        let known = |(id, name): (usize, &str)| Some((StringId::from(id), Annotation::of(name)?));
        Self {
            rank,
            trace,
            sole: SoleGroup::of(trace),
            annotations: trace.strings.iter().enumerate().filter_map(known).collect(),
            is_numbered: (0..trace.collectives.len()).any(|row| trace.collectives.sequence[row].is_some()),
            kinds: HashMap::new(),
            groups: Vec::new(),
            group_index: HashMap::new(),
        }
    }

    /// The slices in which a thread does the work of a collective.
    pub(super) fn host_work(&self) -> Vec<SliceId> {
        self.annotated(Annotation::Work)
    }

    /// How many collectives the host called on a device.
    pub(super) fn launches(&self) -> u64 {
        let annotated = self.annotated(Annotation::Launch).len() as u64;
        if annotated > 0 {
            return annotated;
        }
        let rows = 0..self.trace.collectives.len();
        rows.filter(|&row| !self.is_wait(&self.trace.collectives.row(row))).count() as u64
    }

    fn annotated(&self, wanted: Annotation) -> Vec<SliceId> {
        if !self.annotations.values().any(|&annotation| annotation == wanted) {
            return Vec::new();
        }
        let slices = &self.trace.slices;
        // Neither the same range drawn on the device nor a Python function of that name.
        let is_call = |row: usize| matches!(slices.kind[row], SliceKind::Op | SliceKind::Annotation);
        (0..slices.len())
            .filter(|&row| is_call(row) && self.annotations.get(&slices.name[row]) == Some(&wanted))
            .map(SliceId::from)
            .filter(|&slice| !self.trace.is_quarantined(slice))
            .collect()
    }

    /// What is known of a kernel.
    pub(super) fn of_kernel(&mut self, index: usize) -> Found {
        let activity = self.rank.gpu.row[index];
        let (name, stream) = (self.rank.gpu.name[index], self.rank.gpu.stream[index]);
        let own = self.collective_of(self.trace.gpu.slice[activity.index()]);
        if let Some(row) = own.filter(|row| row.name != StringId::NONE) {
            let facts = self.of_record(&row, name, Place::Gpu, stream);
            let sequence = if row.sequence.is_some() { row.sequence } else { self.sequence_around(activity) };
            return Found { facts, sequence };
        }
        let (mut annotation, mut payload) = (None, None);
        if let Some(launch) = self.rank.links().launch(activity) {
            for around in self.rank.tree().ancestors(launch).take(NEAREST) {
                if let Some(row) = self.collective_of(around).filter(|row| !self.is_wait(row)) {
                    let facts = self.of_record(&row, name, Place::Gpu, stream);
                    return Found { facts, sequence: row.sequence };
                }
                if annotation.is_none() && self.annotations.contains_key(&self.slice_name(around)) {
                    annotation = Some(around);
                }
                payload = payload.or_else(|| self.payload_of(around));
            }
        }
        let facts = match annotation {
            Some(slice) => self.of_annotation(slice, name, Place::Gpu, stream),
            None => {
                let size = own.and_then(|row| row.group_size.get());
                let group = self.unnamed_group(Place::Gpu, stream, size);
                Facts::new(self.kind_of(name), name, ElementName::NotRecorded, group, Err(NO_SIZE))
            }
        };
        let facts = match payload {
            Some(payload) if facts.bytes == Err(NO_SIZE) => self.with_payload(facts, payload, name),
            _ => facts,
        };
        Found { facts, sequence: MaybeI64::NONE }
    }

    /// The number that the record around the launch has, where the kernel's own has none.
    fn sequence_around(&self, activity: GpuId) -> MaybeI64 {
        let launch = if self.is_numbered { self.rank.links().launch(activity) } else { None };
        let Some(launch) = launch else { return MaybeI64::NONE };
        let mut around = self.rank.tree().ancestors(launch).take(NEAREST);
        let record = around.find_map(|slice| self.collective_of(slice).filter(|row| !self.is_wait(row)));
        record.map_or(MaybeI64::NONE, |row| row.sequence)
    }

    /// What an operator moves that calls a collective: `vllm::all_reduce`, `symm_mem::multimem_all_reduce_`,
    /// `_C_custom_ar::all_reduce`, `FusedDispatch`. Its first tensor is what this rank holds.
    fn payload_of(&mut self, slice: SliceId) -> Option<Payload> {
        if self.trace.slices.kind[slice.index()] != SliceKind::Op {
            return None;
        }
        let id = self.slice_name(slice);
        let name = self.trace.strings.get(id);
        // `aten::gather` and `aten::scatter_reduce` work on one device.
        if name.starts_with("aten::") {
            return None;
        }
        let kind = self.kind_of(id);
        if kind == Kind::Other {
            return None;
        }
        // Rows stand in the order of their slices.
        let op = self.trace.ops.row(self.trace.ops.slice.binary_search(&slice).ok()?);
        // The first tensor of `one_shot_all_reduce_copy` is a buffer, which may be larger.
        let passed_over = usize::from(name.contains("_copy"));
        let text = |id| self.trace.strings.get(id);
        let (elements, element) = shapes::tensor(text(op.input_dims), text(op.input_types), passed_over)?;
        Some(Payload { kind, elements, element })
    }

    /// The kernel says what it does; an operator that does something else, too, says nothing of its size.
    fn with_payload(&self, facts: Facts, payload: Payload, name: StringId) -> Facts {
        let both_of_experts = facts.kind.is_of_experts() && payload.kind.is_of_experts();
        let kind = match facts.kind {
            Kind::Other => payload.kind,
            kind if kind == payload.kind || both_of_experts => kind,
            _ => return facts,
        };
        let size = self.groups[facts.group as usize].size;
        let bytes = kind
            .elements(Some(payload.elements), None, size)
            .map(|count| count.saturating_mul(payload.element.size));
        Facts::new(kind, name, ElementName::Known(payload.element.name), facts.group, bytes)
    }

    /// What is known of work on the host.
    pub(super) fn of_host_work(&mut self, slice: SliceId) -> Found {
        let name = self.slice_name(slice);
        match self.collective_of(slice).filter(|row| row.name != StringId::NONE) {
            Some(row) => {
                let facts = self.of_record(&row, name, Place::Host, MaybeI64::NONE);
                Found { facts, sequence: row.sequence }
            }
            None => {
                let facts = self.of_annotation(slice, name, Place::Host, MaybeI64::NONE);
                Found { facts, sequence: MaybeI64::NONE }
            }
        }
    }

    fn slice_name(&self, slice: SliceId) -> StringId {
        self.trace.slices.name[slice.index()]
    }

    fn collective_of(&self, slice: SliceId) -> Option<Collective> {
        // Rows stand in the order of their slices.
        let row = self.trace.collectives.slice.binary_search(&slice).ok()?;
        Some(self.trace.collectives.row(row))
    }

    /// `record_param_comms` is also recorded around waiting for a collective.
    fn is_wait(&self, row: &Collective) -> bool {
        self.trace.strings.get(row.name) == "wait"
    }

    fn kind_of(&mut self, name: StringId) -> Kind {
        let strings = &self.trace.strings;
        *self.kinds.entry(name).or_insert_with(|| Kind::of(strings.get(name)))
    }

    /// The better known of two names decides.
    fn kind_of_either(&mut self, first: StringId, second: StringId) -> Kind {
        match self.kind_of(first) {
            Kind::Other => self.kind_of(second),
            kind => kind,
        }
    }

    fn of_record(&mut self, row: &Collective, name: StringId, place: Place, stream: MaybeI64) -> Facts {
        let kind = self.kind_of_either(row.name, name);
        let group = match row.group_name.some() {
            Some(_) => self.named_group(place, row),
            None => self.unnamed_group(place, stream, row.group_size.get()),
        };
        let size = self.groups[group as usize].size;
        let written = self.trace.strings.get(row.dtype);
        let element = Element::of(written);
        let elements = kind.elements(row.in_elements.get(), row.out_elements.get(), size);
        let bytes = elements.and_then(|elements| {
            let element = element.ok_or(if written.is_empty() { NO_SIZE } else { NO_ELEMENT })?;
            Ok(elements.saturating_mul(element.size))
        });
        let element = match element {
            Some(element) => ElementName::Known(element.name),
            None if written.is_empty() => ElementName::NotRecorded,
            None => ElementName::AsWritten(row.dtype),
        };
        Facts::new(kind, name, element, group, bytes)
    }

    fn of_annotation(&mut self, slice: SliceId, name: StringId, place: Place, stream: MaybeI64) -> Facts {
        let kind = self.kind_of_either(self.slice_name(slice), name);
        let group = self.unnamed_group(place, stream, None);
        // Rows stand in the order of their slices.
        let op = self.trace.ops.slice.binary_search(&slice).ok().map(|row| self.trace.ops.row(row));
        let text = |id| self.trace.strings.get(id);
        let sent = op.and_then(|op| shapes::elements(text(op.input_dims), text(op.input_types)));
        let (element, bytes) = match sent {
            None => (ElementName::NotRecorded, Err(NO_SIZE)),
            Some((count, element)) => {
                let size = self.groups[group as usize].size;
                let bytes = kind.elements(Some(count), None, size);
                (ElementName::Known(element.name), bytes.map(|count| count.saturating_mul(element.size)))
            }
        };
        Facts::new(kind, name, element, group, bytes)
    }

    fn named_group(&mut self, place: Place, row: &Collective) -> u32 {
        let key = GroupKey::Named(place, row.group_name, row.group_ranks);
        if let Some(&group) = self.group_index.get(&key) {
            return group;
        }
        let text = |id: StringId| self.trace.strings.get(id).to_owned();
        let name = text(row.group_name);
        let mut groups = self.trace.metadata.distributed.iter().flat_map(|info| &info.groups);
        let listed = groups.find(|group| group.name == name);
        let listed_size = listed.and_then(|group| u32::try_from(group.size?).ok());
        let description = row.group_description.some().map(text);
        let group = Group {
            place,
            named: Some((name, text(row.group_ranks))),
            stream: MaybeI64::NONE,
            size: row.group_size.get().or(listed_size),
            description: description.or_else(|| listed.map(|group| group.description.clone())),
            is_comparable: true,
        };
        self.add_group(key, group)
    }

    fn unnamed_group(&mut self, place: Place, stream: MaybeI64, size: Option<u32>) -> u32 {
        let key = GroupKey::Unnamed(place, stream, size);
        if let Some(&group) = self.group_index.get(&key) {
            return group;
        }
        let sole_size = self.sole.group.and_then(|group| u32::try_from(group.size?).ok());
        let group = Group {
            place,
            named: None,
            stream,
            size: size.or(sole_size),
            description: self.sole.group.map(|group| group.description.clone()),
            is_comparable: self.sole.is_certain,
        };
        self.add_group(key, group)
    }

    fn add_group(&mut self, key: GroupKey, group: Group) -> u32 {
        let index = u32::try_from(self.groups.len()).unwrap_or(u32::MAX);
        self.groups.push(group);
        self.group_index.insert(key, index);
        index
    }
}
