//! How counters are counted, where it could be done otherwise.

/// A choice or a limit behind a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Convention {
    /// Vector instructions of AMD are counted for all lanes of a wave.
    ExecMaskIgnored,
    /// Transcendental instructions count as one operation a lane.
    TranscendentalsCounted,
    /// Packed 16-bit instructions of AMD count once a lane.
    PackedHalfOnce,
    /// Instructions of two 16-bit numbers count for both.
    HalfPairs,
    /// Instructions of two 32-bit numbers count for both.
    SinglePairs,
    /// Those instructions exist and were not counted.
    SinglePairsUncounted,
    /// Tensor operations were inferred from instructions.
    TensorInstructions,
    /// Types that share a path are counted as the widest.
    NarrowPathShared,
    /// Only the dense or the sparse half of a tensor path was recorded.
    TensorPartly,
    /// Special functions are not operations.
    SpecialsExcluded,
    /// Bytes leave the L2, and a cache behind it may keep some from main memory.
    FabricUpperBound,
    /// Reads between L1 and L2 are requests of 128 bytes.
    WideReads,
    /// Bytes of L1 are cache lines that were looked up.
    LinesLookedUp,
    /// Bytes of L1 are register files' reads from it.
    WritebackOnly,
    /// Bytes of L2 are those read into L1.
    ReadsOnly,
    /// Bytes of LDS are active cycles without conflicts.
    LdsCycles,
    /// The reads of main memory in kilobytes are those of the profiler's own formula.
    ProfilersKilobytes,
    /// Numbers that came from rates and the time.
    FromRates,
    /// There are no counters of main memory on this device.
    NoMainMemoryCounters,
}

impl Convention {
    /// The name in files.
    pub fn id(self) -> &'static str {
        match self {
            Self::ExecMaskIgnored => "exec-mask-ignored",
            Self::TranscendentalsCounted => "transcendentals-counted",
            Self::PackedHalfOnce => "packed-half-once",
            Self::HalfPairs => "half-pairs",
            Self::SinglePairs => "single-pairs",
            Self::SinglePairsUncounted => "single-pairs-uncounted",
            Self::TensorInstructions => "tensor-instructions",
            Self::NarrowPathShared => "narrow-path-shared",
            Self::TensorPartly => "tensor-partly",
            Self::SpecialsExcluded => "specials-excluded",
            Self::FabricUpperBound => "fabric-upper-bound",
            Self::WideReads => "wide-reads",
            Self::LinesLookedUp => "lines-looked-up",
            Self::WritebackOnly => "writeback-only",
            Self::ReadsOnly => "reads-only",
            Self::LdsCycles => "lds-cycles",
            Self::ProfilersKilobytes => "profilers-kilobytes",
            Self::FromRates => "from-rates",
            Self::NoMainMemoryCounters => "no-main-memory-counters",
        }
    }

    /// What it means for the number, in one sentence.
    pub fn text(self) -> &'static str {
        match self {
            Self::ExecMaskIgnored => {
                "vector instructions count for all 64 lanes, including masked ones: an upper bound where waves \
                diverge"
            }
            Self::TranscendentalsCounted => "a transcendental instruction counts as one operation per lane",
            Self::PackedHalfOnce => "packed FP16 instructions of the vector units count once: a lower bound",
            Self::HalfPairs => {
                "FP16 instructions work on pairs: 2 operations per addition or product, 4 per multiply-add (older \
                scripts count half)"
            }
            Self::SinglePairs => "packed FP32 instructions (FADD2, FMUL2, FFMA2) count for both numbers",
            Self::SinglePairsUncounted => {
                "packed FP32 instructions (FADD2, FMUL2, FFMA2) exist on this architecture and were not recorded: a \
                 lower bound"
            }
            Self::TensorInstructions => {
                "tensor operations are instructions times a typical number of operations: low confidence, as it \
                depends on the instruction shape"
            }
            Self::NarrowPathShared => {
                "FP8, FP6 and FP4 share a counter and are counted as the widest of them"
            }
            Self::TensorPartly => {
                "only one of the counters of dense and sparse tensor operations was recorded: a lower bound"
            }
            Self::SpecialsExcluded => "special functions (reciprocals, exponentials) are not included",
            Self::FabricUpperBound => {
                "bytes between L2 and the fabric: the Infinity Cache may have absorbed some of them"
            }
            Self::WideReads => "reads between L1 and L2 count 128 bytes each, writes and atomics 64",
            Self::LinesLookedUp => "L1 bytes are 64-byte lines looked up: an upper bound",
            Self::WritebackOnly => "L1 bytes are those returned to registers, 128 per cycle",
            Self::ReadsOnly => "L2 bytes are those read by L1; writes are not included",
            Self::LdsCycles => "LDS bytes are 128 per active cycle without a bank conflict",
            Self::ProfilersKilobytes => "main memory bytes are the profiler's FETCH_SIZE and WRITE_SIZE",
            Self::FromRates => "some amounts are rates times the duration of the kernel",
            Self::NoMainMemoryCounters => {
                "no main memory counter recorded (integrated devices have none): the point uses a cache"
            }
        }
    }
}
