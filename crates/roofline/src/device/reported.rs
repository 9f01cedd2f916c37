//! What a recording says about the device it was made on: facts that win over the catalog's.

use super::{Confidence, Device, Fact, Memory, Source, catalogue, empirical, find_reported};

/// A device as the recorder described it.
#[derive(Clone, Copy)]
pub struct Reported<'a> {
    /// Product name; may be empty.
    pub name: &'a str,
    /// Architecture as compilers call it, `gfx942` or `sm_90`; may be empty.
    pub architecture: &'a str,
    /// A number by the name that the recorder gives it.
    pub number: &'a dyn Fn(&str) -> Option<f64>,
}

/// How facts of this origin are called.
const SOURCE: &str = "reported by the device";
/// How what rocprof-compute measured is called.
const MEASURED: &str = "measured with rocprof-compute on the device of the recording";

impl Reported<'_> {
    /// The device of the catalog that this is, with what it reports in place of what the catalog says. A device that
    /// the catalog does not have is made of what it reports alone, if that is a bandwidth at least.
    ///
    /// # Errors
    /// If there is no such device and it does not say enough about itself.
    pub fn device(&self) -> Result<Device, super::Unknown> {
        match self.known() {
            Ok(device) => Ok(self.applied_to(device)),
            Err(unknown) => {
                let name = if self.name.is_empty() { self.architecture } else { self.name };
                let device = self.applied_to(Device {
                    id: name.to_lowercase().replace(' ', "-"),
                    name: name.to_owned(),
                    isa: Some(self.architecture.to_owned()).filter(|isa| !isa.is_empty()),
                    ..Device::default()
                });
                let has_roof = device.memory.iter().any(|level| level.bandwidth.is_some());
                if has_roof { Ok(device) } else { Err(unknown) }
            }
        }
    }

    /// The device of the catalog: by name, by the name without the stepping that rocprof-compute puts behind it
    /// (`MI300X_A1`), or by the architecture if all devices that have it with this many units have the same roofs.
    fn known(&self) -> Result<Device, super::Unknown> {
        let by_name = find_reported(self.name);
        let Err(unknown) = by_name else { return by_name };
        if let Some((name, stepping)) = self.name.rsplit_once('_')
            && stepping.starts_with(['A', 'B'])
            && let Ok(device) = find_reported(name)
        {
            return Ok(device);
        }
        let units = self.units();
        let alike = |device: &&Device| {
            !self.architecture.is_empty()
                && device.isa.as_deref() == Some(self.architecture)
                && device.units.as_ref().map(|fact| fact.value) == units
        };
        let alike: Vec<&Device> = catalogue().iter().filter(alike).collect();
        match (alike.as_slice(), units) {
            ([first, rest @ ..], Some(_)) if rest.iter().all(|device| device.has_roofs_of(first)) => {
                Ok((*first).clone())
            }
            _ => Err(unknown),
        }
    }

    /// The device with what this one reports.
    #[must_use]
    pub fn applied_to(&self, mut device: Device) -> Device {
        if let Some(units) = self.units() {
            device.units = Some(fact(units));
        }
        if let Some(clock) = self.clock() {
            device.clock = Some(fact(clock));
        }
        let main = self.bandwidth();
        let size = self.memory_size();
        if (main.is_some() || size.is_some()) && device.memory.is_empty() {
            let memory = Memory { id: "hbm".into(), name: "Memory".into(), ..Memory::default() };
            device.memory.push(memory);
        }
        if let Some(memory) = device.memory.first_mut() {
            memory.bandwidth = main.map(fact).or_else(|| memory.bandwidth.take());
            memory.size = size.map(fact).or_else(|| memory.size.take());
        }
        if let Some(size) = self.cache_size() {
            match device.memory.iter_mut().find(|memory| memory.id == "l2") {
                Some(cache) => cache.size = Some(fact(size)),
                None => device.memory.push(Memory {
                    id: "l2".into(),
                    name: "L2".into(),
                    size: Some(fact(size)),
                    ..Memory::default()
                }),
            }
        }
        empirical::apply(&mut device, MEASURED, self.number);
        device
    }

    fn first(&self, names: &[(&str, f64)]) -> Option<f64> {
        let value = |(name, factor): &(&str, f64)| {
            (self.number)(name).map(|value| value * factor).filter(|value| value.is_finite() && *value > 0.0)
        };
        names.iter().find_map(value)
    }

    /// Multiprocessors or compute units: of nsys, ncu, rocprofv3 (JSON and CSV) and rocprof-compute.
    fn units(&self) -> Option<f64> {
        self.first(&[
            ("smCount", 1.0),
            ("device__attribute_multiprocessor_count", 1.0),
            ("cu_count", 1.0),
            ("Cu_Count", 1.0),
            ("cu_per_gpu", 1.0),
        ])
    }

    /// Hertz: nsys gives those, ncu kilohertz, AMD's tools megahertz.
    fn clock(&self) -> Option<f64> {
        self.first(&[
            ("clockRate", 1.0),
            ("device__attribute_max_gpu_frequency_khz", 1e3),
            ("device__attribute_clock_rate", 1e3),
            ("max_engine_clk_fcompute", 1e6),
            ("Max_Engine_Clk_Fcompute", 1e6),
            ("max_sclk", 1e6),
        ])
    }

    /// Bytes per second of main memory.
    fn bandwidth(&self) -> Option<f64> {
        let told = self.first(&[("memoryBandwidth", 1.0)]);
        let of_attributes = || {
            let clock = self.first(&[
                ("device__attribute_max_mem_frequency_khz", 1e3),
                ("device__attribute_memory_clock_rate", 1e3),
            ])?;
            let bits = self.first(&[
                ("device__attribute_fb_bus_width", 1.0),
                ("device__attribute_global_memory_bus_width", 1.0),
            ])?;
            // Both edges of the clock.
            Some(2.0 * clock * bits / 8.0)
        };
        let of_banks = || {
            let clock = self.first(&[("mem_banks.mem_clk_max", 1e6)])?;
            let bits = self.first(&[("mem_banks.width", 1.0)])?;
            Some(self.transfers_per_clock()? * clock * bits / 8.0)
        };
        told.or_else(of_attributes).or_else(of_banks)
    }

    /// HBM2 and HBM2e transfer twice a clock as the driver gives it, HBM3 and HBM3E four times. Checked against the
    /// datasheets: MI210 1638.4, MI300X 5324.8, MI350X 8192 GB/s.
    fn transfers_per_clock(&self) -> Option<f64> {
        match self.architecture {
            "gfx906" | "gfx908" | "gfx90a" => Some(2.0),
            "gfx940" | "gfx941" | "gfx942" | "gfx950" => Some(4.0),
            _ => None,
        }
    }

    fn memory_size(&self) -> Option<f64> {
        self.first(&[
            ("totalMemory", 1.0),
            ("device__attribute_total_memory", 1.0),
            ("mem_banks.size_in_bytes", 1.0),
        ])
    }

    fn cache_size(&self) -> Option<f64> {
        self.first(&[("l2CacheSize", 1.0), ("device__attribute_l2_cache_size", 1.0)])
    }
}

fn fact(value: f64) -> Fact {
    Fact { value, source: Source { text: SOURCE.to_owned(), confidence: Confidence::High } }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(name: &str, architecture: &str, numbers: &[(&str, f64)]) -> Result<Device, super::super::Unknown> {
        let number = |key: &str| numbers.iter().find(|(name, _)| *name == key).map(|&(_, value)| value);
        Reported { name, architecture, number: &number }.device()
    }

    fn bandwidth(device: &Device) -> f64 {
        device.main_memory().unwrap().bandwidth.as_ref().unwrap().value
    }

    /// The three of AMD as their datasheets print them, and what NVIDIA's tools give.
    #[test]
    fn bandwidth_is_that_of_clock_and_width() {
        for (name, architecture, bits, clock, expected) in [
            ("AMD Instinct MI300X", "gfx942", 8192.0, 1300.0, 5324.8e9),
            ("AMD Instinct MI350X", "gfx950", 8192.0, 2000.0, 8192e9),
            ("AMD Instinct MI210", "gfx90a", 4096.0, 1600.0, 1638.4e9),
        ] {
            let numbers = [("mem_banks.width", bits), ("mem_banks.mem_clk_max", clock)];
            let device = of(name, architecture, &numbers).unwrap();
            assert!((bandwidth(&device) / expected - 1.0).abs() < 1e-12, "{name}: {}", bandwidth(&device));
            assert_eq!(device.main_memory().unwrap().bandwidth.as_ref().unwrap().source.text, SOURCE);
        }
        let ncu = [
            ("device__attribute_max_mem_frequency_khz", 3_996_000.0),
            ("device__attribute_fb_bus_width", 7680.0),
            ("device__attribute_multiprocessor_count", 148.0),
        ];
        let b200 = of("NVIDIA B200", "sm_100", &ncu).unwrap();
        assert!((bandwidth(&b200) / 7672.32e9 - 1.0).abs() < 1e-12);
        assert_eq!(b200.units.unwrap().value, 148.0);
        let nsys = of("Tesla T4", "sm_75", &[("memoryBandwidth", 320_064_000_000.0)]).unwrap();
        assert_eq!(bandwidth(&nsys), 320_064_000_000.0);
    }

    #[test]
    fn a_device_is_found_by_its_stepping_and_its_units() {
        assert_eq!(of("MI300X_A1", "gfx942", &[]).unwrap().id, "amd-mi300x");
        assert_eq!(of("MI200", "gfx90a", &[("cu_per_gpu", 104.0)]).unwrap().id, "amd-mi210");
        // MI300X and MI325X have as many units.
        assert!(of("", "gfx942", &[("cu_count", 304.0)]).is_err());
    }

    #[test]
    fn an_unknown_device_is_what_it_reports() {
        let device = of("NVIDIA GeForce RTX 3070", "sm_86", &[("memoryBandwidth", 448e9)]).unwrap();
        assert_eq!((device.name.as_str(), bandwidth(&device)), ("NVIDIA GeForce RTX 3070", 448e9));
        assert!(device.peaks.is_empty());
        assert!(of("NVIDIA GeForce RTX 3070", "sm_86", &[("smCount", 46.0)]).is_err());
    }

    /// A recording that knows nothing more leaves the catalog as it is.
    #[test]
    fn nothing_reported_changes_nothing() {
        let plain = of("NVIDIA H200", "", &[("totalGlobalMem", 1.0), ("numSms", 132.0)]).unwrap();
        assert_eq!(plain, find_reported("NVIDIA H200").unwrap());
    }
}
