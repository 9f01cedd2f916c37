//! `/api/tiling` of the roofline calculator's dashboard: what cutting a product into tiles costs by counting alone. Tiles at the edges are padded, and the last
//! wave of tiles leaves units idle; how well a kernel does inside a tile cannot be known without running it.

use std::sync::Arc;

use axum::extract::{Query, State};
use axum::routing::post;
use axum::{Json, Router};
use eaves_roofline::{Precision, device};
use serde::{Deserialize, Serialize};

use super::hardware::USUAL;
use crate::Problem;
use crate::state::Shared;

/// Tiles that libraries use.
const TILES: [[u64; 3]; 12] = [
    [256, 128, 64],
    [128, 256, 64],
    [256, 128, 32],
    [128, 256, 32],
    [128, 128, 64],
    [128, 128, 32],
    [256, 64, 32],
    [64, 256, 32],
    [128, 64, 32],
    [64, 128, 32],
    [64, 64, 64],
    [64, 64, 32],
];
/// Longest extent: products of three stay exact.
const LONGEST: u64 = 1 << 20;

pub(super) fn routes() -> Router<Arc<Shared>> {
    Router::new().route("/api/tiling", post(tiling))
}

#[derive(Debug, Deserialize)]
struct Asked {
    #[serde(rename = "M")]
    m: u64,
    #[serde(rename = "N")]
    n: u64,
    #[serde(rename = "K")]
    k: u64,
    #[serde(default = "usual_precision")]
    precision: String,
    #[serde(default = "usual_device")]
    hardware_key: String,
}

fn usual_precision() -> String {
    "fp16".to_owned()
}

fn usual_device() -> String {
    USUAL.to_owned()
}

/// A tile, and what of the machine it keeps busy.
#[derive(Debug, PartialEq, Serialize)]
struct Tiling {
    tile_m: u64,
    tile_n: u64,
    tile_k: u64,
    tiles: u64,
    /// Rounds in which every unit takes one tile.
    waves: u64,
    /// Share of the units' turns that have a tile.
    wave_efficiency: f64,
    /// Share of the multiplications that are not padding.
    padding_efficiency: f64,
    /// What two stages of operands need in shared memory.
    shared_memory_bytes: f64,
}

/// The tilings of a product, the least wasteful first.
fn tilings([m, n, k]: [u64; 3], units: u64, precision: &Precision) -> Vec<Tiling> {
    let of = |[tile_m, tile_n, tile_k]: [u64; 3]| {
        let (rows, columns) = (m.div_ceil(tile_m), n.div_ceil(tile_n));
        let tiles = rows * columns;
        let waves = tiles.div_ceil(units);
        let padded =
            (rows * tile_m) as f64 * (columns * tile_n) as f64 * (k.div_ceil(tile_k) * tile_k) as f64;
        Tiling {
            tile_m,
            tile_n,
            tile_k,
            tiles,
            waves,
            wave_efficiency: tiles as f64 / (waves * units) as f64,
            padding_efficiency: m as f64 * n as f64 * k as f64 / padded,
            shared_memory_bytes: 2.0 * precision.bytes(((tile_m + tile_n) * tile_k) as f64),
        }
    };
    let mut all: Vec<Tiling> = TILES.into_iter().map(of).collect();
    let useful = |tiling: &Tiling| tiling.wave_efficiency * tiling.padding_efficiency;
    all.sort_by(|a, b| useful(b).total_cmp(&useful(a)));
    all
}

async fn tiling(
    State(shared): State<Arc<Shared>>,
    Query(asked): Query<Asked>,
) -> Result<Json<Vec<Tiling>>, Problem> {
    let shape = [asked.m, asked.n, asked.k];
    if shape.iter().any(|extent| !(1..=LONGEST).contains(extent)) {
        return Err(Problem::bad(format!("extents are numbers from 1 to {LONGEST}")));
    }
    let precision: Precision = asked
        .precision
        .to_lowercase()
        .parse()
        .map_err(|_| Problem::bad(format!("unknown precision `{}`", asked.precision)))?;
    let word = shared.described.word(&asked.hardware_key)?;
    let units = device::find(&word).ok().and_then(|device| device.units).map(|units| units.value as u64);
    let units = units.filter(|units| *units > 0).ok_or_else(|| {
        Problem::failed(format!("unknown number of units of `{}`", asked.hardware_key))
            .hint("see catalog devices: GET /api/v1/devices/NAME")
    })?;
    Ok(Json(tilings(shape, units, &precision)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: 4096 x 4096 in tiles of 128 x 256 are 32 x 16 = 512 tiles, on 132 units 4 waves, of which 512/528 of the turns are
    /// used; 100 x 4096 x 40 in tiles of 64 x 64 x 32 is padded to 128 x 4096 x 64.
    #[test]
    fn waste_is_counted() {
        let halves: Precision = "fp16".parse().unwrap();
        let all = tilings([4096, 4096, 4096], 132, &halves);
        let found = all.iter().find(|one| (one.tile_m, one.tile_n, one.tile_k) == (128, 256, 64)).unwrap();
        assert_eq!((found.tiles, found.waves), (512, 4));
        assert!((found.wave_efficiency - 512.0 / 528.0).abs() < 1e-12);
        assert_eq!((found.padding_efficiency, found.shared_memory_bytes), (1.0, 2.0 * 384.0 * 64.0 * 2.0));
        let small = tilings([100, 4096, 40], 132, &halves);
        let found = small.iter().find(|one| (one.tile_m, one.tile_n, one.tile_k) == (64, 64, 32)).unwrap();
        assert!((found.padding_efficiency - 100.0 * 40.0 / (128.0 * 64.0)).abs() < 1e-12);
        let useful: Vec<f64> = small.iter().map(|one| one.wave_efficiency * one.padding_efficiency).collect();
        assert!(useful.is_sorted_by(|a, b| a >= b));
    }
}
