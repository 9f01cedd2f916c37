//! AMD's GPUs, from what their driver shows of itself: the files that `rocm-smi` reads, too.
//! <https://docs.kernel.org/gpu/amdgpu/thermal.html>, <https://docs.kernel.org/gpu/amdgpu/driver-misc.html>.

use std::path::Path;

use super::Gpu;

/// The identification of AMD on the bus.
const VENDOR: &str = "0x1002";

/// The GPUs there are.
pub(super) fn gpus() -> Vec<Gpu> {
    below(Path::new("/sys/class/drm"))
}

fn below(cards: &Path) -> Vec<Gpu> {
    let mut names: Vec<String> = std::fs::read_dir(cards)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().into_string().ok())
        // `card0`, and not its connectors `card0-DP-1`.
        .filter(|name| {
            name.strip_prefix("card")
                .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|digit| digit.is_ascii_digit()))
        })
        .collect();
    names.sort_unstable_by_key(|name| (name.len(), name.clone()));
    names.iter().filter_map(|name| gpu(&cards.join(name).join("device"))).collect()
}

fn gpu(device: &Path) -> Option<Gpu> {
    let text = |path: &Path| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    if text(&device.join("vendor"))? != VENDOR {
        return None;
    }
    let number = |name: &str| text(&device.join(name))?.parse::<u64>().ok();
    let sensors = std::fs::read_dir(device.join("hwmon")).ok().and_then(|mut entries| entries.next()?.ok());
    let sensor = |name: &str| text(&sensors.as_ref()?.path().join(name))?.parse::<f64>().ok();
    Some(Gpu {
        name: text(&device.join("product_name"))
            .filter(|name| !name.is_empty())
            .unwrap_or_else(|| "AMD GPU".to_owned()),
        utilisation_pct: number("gpu_busy_percent").map(|share| share as f64),
        memory_used_bytes: number("mem_info_vram_used"),
        memory_total_bytes: number("mem_info_vram_total"),
        // Microwatts, thousandths of a degree, hertz.
        power_w: sensor("power1_average").or_else(|| sensor("power1_input")).map(|power| power / 1e6),
        power_limit_w: sensor("power1_cap").map(|power| power / 1e6),
        temperature_c: sensor("temp1_input").map(|degrees| degrees / 1e3),
        clock_mhz: sensor("freq1_input").map(|clock| clock / 1e6),
        memory_clock_mhz: sensor("freq2_input").map(|clock| clock / 1e6),
        compute_capability: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_card_by_hand() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("card0/device/vendor", "0x10de\n");
        write("card0-DP-1/device/vendor", "0x1002\n");
        write("card1/device/vendor", "0x1002\n");
        write("card1/device/gpu_busy_percent", "37\n");
        write("card1/device/mem_info_vram_total", "68702699520\n");
        write("card1/device/hwmon/hwmon3/power1_average", "225000000\n");
        write("card1/device/hwmon/hwmon3/temp1_input", "54000\n");
        let found = below(folder.path());
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].utilisation_pct, found[0].power_w, found[0].temperature_c),
            (Some(37.0), Some(225.0), Some(54.0))
        );
        assert_eq!((found[0].memory_total_bytes, found[0].memory_used_bytes), (Some(68_702_699_520), None));
    }
}
