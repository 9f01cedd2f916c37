//! A drawing as PNG. Drawings are made as SVG; this only paints them.

#[cfg(feature = "png")]
mod paint;

#[cfg(feature = "png")]
pub use paint::render;

/// Why a drawing could not be painted.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// This program was built without PNG.
    #[error("this build of eaves has no PNG support")]
    NotBuilt,
    /// The drawing is not a SVG.
    #[error("cannot read the drawing: {0}")]
    Svg(String),
    /// It has no size, or one that does not fit the memory.
    #[error("cannot draw a picture of {width} x {height} pixels")]
    Size {
        /// Points across.
        width: u32,
        /// Points down.
        height: u32,
    },
    /// The picture could not be packed.
    #[error("cannot write the picture: {0}")]
    Png(String),
}

impl Error {
    /// What to try.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NotBuilt => {
                "write .svg, or build it with PNG: `cargo install --path crates/cli --features png`"
            }
            _ => "write .svg",
        }
    }
}

/// Points of a picture for each of the drawing, as screens have them.
pub const SCREEN: f32 = 2.0;

/// Paints a drawing with `scale` points of the picture for each of its own.
///
/// # Errors
/// Always: this build has no PNG.
#[cfg(not(feature = "png"))]
pub fn render(_svg: &str, _scale: f32) -> Result<Vec<u8>, Error> {
    Err(Error::NotBuilt)
}
