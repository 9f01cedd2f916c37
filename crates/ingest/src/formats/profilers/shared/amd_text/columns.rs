//! Which column is what, by name: versions add, drop and rename columns, and the order is no help.

use super::cells::Cells;

/// What a column says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(usize)]
pub(in super::super::super) enum Field {
    KernelName,
    Device,
    Queue,
    Stream,
    Process,
    Thread,
    Number,
    Correlation,
    GridSize,
    GridX,
    GridY,
    GridZ,
    GroupSize,
    GroupX,
    GroupY,
    GroupZ,
    SharedMemory,
    Scratch,
    Registers,
    VectorRegisters,
    AccumulationRegisters,
    ScalarRegisters,
    WaveSize,
    Start,
    End,
    CounterName,
    CounterValue,
    Domain,
    Kind,
    Function,
    Operation,
    Direction,
    SourceAgent,
    DestinationAgent,
    Size,
    Address,
    Flags,
    MarkerId,
    Message,
    Timestamp,
    /// Known, and of no use.
    Ignored,
}

/// Number of fields that are of use.
pub(super) const FIELDS: usize = Field::Ignored as usize;

/// Names without case, underscores and hyphens, and what they mean. `gpu-id` is rocprof's, `GPU_ID` rocprofv2's and
/// rocprof-compute's, `Agent_Id` rocprofv3's.
const NAMES: &[(&str, Field)] = &[
    // tidy-alphabetical-start
    ("accumulativevgpr", Field::AccumulationRegisters),
    ("accumvgpr", Field::AccumulationRegisters),
    ("accumvgprcount", Field::AccumulationRegisters),
    ("address", Field::Address),
    ("agentid", Field::Device),
    ("agenttype", Field::Ignored),
    ("allocationsize", Field::Size),
    ("allocflags", Field::Flags),
    ("archvgpr", Field::VectorRegisters),
    ("beginns", Field::Start),
    ("begintimestamp", Field::Start),
    ("completens", Field::Ignored),
    ("correlationid", Field::Correlation),
    ("countername", Field::CounterName),
    ("countervalue", Field::CounterValue),
    ("destinationagentid", Field::DestinationAgent),
    ("direction", Field::Direction),
    ("dispatchid", Field::Number),
    ("dispatchns", Field::Ignored),
    ("domain", Field::Domain),
    ("durationns", Field::Ignored),
    ("endns", Field::End),
    ("endtimestamp", Field::End),
    ("fbar", Field::Ignored),
    ("function", Field::Function),
    ("gpuid", Field::Device),
    ("grd", Field::GridSize),
    ("gridsize", Field::GridSize),
    ("gridsizex", Field::GridX),
    ("gridsizey", Field::GridY),
    ("gridsizez", Field::GridZ),
    ("groupsegmentsize", Field::SharedMemory),
    ("guid", Field::Ignored),
    ("index", Field::Number),
    ("kernelid", Field::Ignored),
    ("kernelname", Field::KernelName),
    ("kind", Field::Kind),
    ("lds", Field::SharedMemory),
    ("ldsblocksize", Field::SharedMemory),
    ("ldsperworkgroup", Field::SharedMemory),
    ("message", Field::Message),
    ("nodeid", Field::Ignored),
    ("obj", Field::Ignored),
    ("operation", Field::Operation),
    ("operationname", Field::Operation),
    ("pid", Field::Process),
    ("privatesegmentsize", Field::Scratch),
    ("processid", Field::Process),
    ("queueid", Field::Queue),
    ("queueindex", Field::Ignored),
    ("roctxid", Field::MarkerId),
    ("roctxmessage", Field::Message),
    ("scr", Field::Scratch),
    ("scratchperworkitem", Field::Scratch),
    ("scratchsize", Field::Scratch),
    ("sgpr", Field::ScalarRegisters),
    ("sgprcount", Field::ScalarRegisters),
    ("sig", Field::Ignored),
    ("sourceagentid", Field::SourceAgent),
    ("starttimestamp", Field::Start),
    ("stoptimestamp", Field::End),
    ("streamid", Field::Stream),
    ("threadid", Field::Thread),
    ("tid", Field::Thread),
    ("timestamp", Field::Timestamp),
    ("vgpr", Field::Registers),
    ("vgprcount", Field::VectorRegisters),
    ("wavesize", Field::WaveSize),
    ("wgr", Field::GroupSize),
    ("workgroupsize", Field::GroupSize),
    ("workgroupsizex", Field::GroupX),
    ("workgroupsizey", Field::GroupY),
    ("workgroupsizez", Field::GroupZ),
    ("xccindex", Field::Ignored),
    // tidy-alphabetical-end
];

/// A name without case, underscores, hyphens and blanks.
pub(in super::super::super) fn plain(name: &[u8]) -> String {
    let letters = name.iter().filter(|byte| !matches!(byte, b'_' | b'-' | b' '));
    String::from_utf8_lossy(&letters.map(u8::to_ascii_lowercase).collect::<Vec<u8>>()).into_owned()
}

/// The meaning of a name.
pub(in super::super::super) fn field(name: &[u8]) -> Option<Field> {
    let plain = plain(name);
    NAMES.binary_search_by(|(known, _)| (*known).cmp(plain.as_str())).ok().map(|at| NAMES[at].1)
}

/// What rocprof-compute leaves of merging passes: `wave_size_7`, `obj_3`, `Correlation_ID_12`, `Kernel_ID_1`.
fn is_leftover(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let head = name.get(..name.len() - digits).unwrap_or_default();
    digits > 0 && head.strip_suffix(b"_").and_then(field).is_some()
}

/// The columns of a table.
#[derive(Debug)]
pub(in super::super::super) struct Columns {
    /// Number of columns.
    pub(in super::super::super) count: usize,
    places: [Option<usize>; FIELDS],
    /// Columns of other names, which are counters in tables of dispatches.
    pub(in super::super::super) others: Vec<(usize, String)>,
    /// Every name without case and signs.
    pub(in super::super::super) names: Vec<String>,
}

impl Columns {
    /// The columns of a header, which may be cut at the end.
    pub(in super::super::super) fn read(header: &[u8]) -> Self {
        let mut cells = Cells::default();
        cells.split_quoted(header);
        let mut columns =
            Self { count: cells.len(), places: [None; FIELDS], others: Vec::new(), names: Vec::new() };
        for at in 0..cells.len() {
            let name = cells.get(header, at);
            columns.names.push(plain(name));
            match field(name) {
                Some(Field::Ignored) => {}
                Some(field) => {
                    let place = &mut columns.places[field as usize];
                    *place = place.or(Some(at));
                }
                None if name.is_empty() || is_leftover(name) => {}
                None => columns.others.push((at, String::from_utf8_lossy(name).into_owned())),
            }
        }
        columns
    }

    /// The column of a field.
    pub(in super::super::super) fn at(&self, field: Field) -> Option<usize> {
        self.places.get(field as usize).copied().flatten()
    }

    /// True if there is a column of the field.
    pub(in super::super::super) fn has(&self, field: Field) -> bool {
        self.at(field).is_some()
    }

    /// True if there is a column of this name, written without case and signs.
    pub(in super::super::super) fn has_name(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// The column that may hold commas and quotes.
    pub(in super::super::super) fn name_column(&self) -> Option<usize> {
        [Field::KernelName, Field::Function, Field::Message].iter().find_map(|&field| self.at(field))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_whatever_their_case() {
        assert!(NAMES.is_sorted_by_key(|(name, _)| *name));
        assert_eq!(field(b"gpu-id"), Some(Field::Device));
        assert_eq!(field(b"WORKGROUP_SIZE_X"), Some(Field::GroupX));
        assert_eq!(field(b"SQ_WAVES"), None);
    }

    #[test]
    fn leftovers_of_merging_are_no_counters() {
        let columns =
            Columns::read(b"Dispatch_ID,Kernel_Name,obj_3,SQC_DCACHE_REQ_READ_8,TCC_HIT[0],Wave_Size_1,");
        let names: Vec<&str> = columns.others.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(names, ["SQC_DCACHE_REQ_READ_8", "TCC_HIT[0]"]);
        assert_eq!(columns.count, 7);
    }
}
