//! How a program is written, beyond what every training loop does. The default is a well written one.

/// Who updates the parameters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Optimizer {
    /// One kernel for the whole update (`fused=True`).
    #[default]
    Fused,
    /// One kernel for each operation, on all parameters (`foreach=True`).
    Foreach,
    /// One kernel for each operation and parameter.
    Loop,
}

/// A pause of the host in every this many steps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pause {
    pub(crate) kind: PauseKind,
    pub(crate) every: u64,
    pub(crate) nanoseconds: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PauseKind {
    /// `gc.collect()`.
    Collection,
    /// Writing the model to disk, for which the device has to be done.
    Checkpoint,
}

/// How the batch comes to the device.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Features {
    /// Bytes that go to the device in every step besides the tokens.
    pub(crate) bytes: u64,
    /// Bytes per microsecond of copies from pageable memory; nothing if the memory is pinned.
    pub(crate) pageable: Option<u64>,
}

/// What a program does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Habits {
    /// How long the host takes for what it does, relative to a fast one; close to zero if a graph launches everything.
    pub(crate) host: f64,
    /// Python around every call of a module, in nanoseconds.
    pub(crate) python: u64,
    /// Figures that are computed of the output of every product, and whether each is read at once.
    pub(crate) figures: u64,
    pub(crate) reads_figures: bool,
    pub(crate) pause: Option<Pause>,
    pub(crate) features: Features,
    /// Whether gradients are sent after the backward rather than during it.
    pub(crate) late_gradients: bool,
    /// Numbers that are summed over all ranks one by one at the end of the backward.
    pub(crate) small_messages: u64,
    pub(crate) optimizer: Optimizer,
    /// Operators that the activation is written with; zero for the one that does it all.
    pub(crate) activation_operators: u64,
    /// Attention as matrix products, this many passes over the scores between them; zero for the fused one.
    pub(crate) score_passes: u64,
    /// Pairs of casts to float32 and back, in every layer.
    pub(crate) casts: u64,
    /// Copies into another layout, in every layer.
    pub(crate) layout_copies: u64,
    /// Copies of activations, in every layer.
    pub(crate) clones: u64,
    /// Segments that are given back to the driver at the end of every step, and taken again in the next.
    pub(crate) released_segments: u64,
    /// Thousandths of their speed that products with sides that are not multiples of 8 reach; zero for all of it.
    pub(crate) unaligned: u64,
    /// Float32 products on tensor cores.
    pub(crate) tensor_float_32: bool,
}

impl Default for Habits {
    fn default() -> Self {
        Self {
            host: 1.0,
            python: 0,
            figures: 0,
            reads_figures: false,
            pause: None,
            features: Features::default(),
            late_gradients: false,
            small_messages: 0,
            optimizer: Optimizer::default(),
            activation_operators: 0,
            score_passes: 0,
            casts: 0,
            layout_copies: 0,
            clones: 0,
            released_segments: 0,
            unaligned: 0,
            tensor_float_32: false,
        }
    }
}
