//! What charts need of the tables that they are drawn from, by the ids of columns.

use eaves_section::{Chart, Section, Table, Value};

/// A table with its columns found by id.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    table: &'a Table,
}

impl<'a> Rows<'a> {
    /// The table of that id, if the section has it.
    pub(crate) fn of(section: &'a Section, id: &str) -> Option<Self> {
        section.table(id).map(|table| Self { table })
    }

    /// Each row.
    pub(crate) fn iter(self) -> impl Iterator<Item = Row<'a>> {
        self.table.rows.iter().map(move |values| Row { table: self.table, values })
    }
}

/// A row of such a table.
#[derive(Clone, Copy)]
pub(crate) struct Row<'a> {
    table: &'a Table,
    values: &'a [Value],
}

impl<'a> Row<'a> {
    fn get(self, id: &str) -> Option<&'a Value> {
        self.values.get(self.table.columns.iter().position(|column| column.id == id)?)
    }

    /// A text; empty if there is none.
    pub(crate) fn text(self, id: &str) -> &'a str {
        match self.get(id) {
            Some(Value::Text(text)) => text,
            _ => "",
        }
    }

    /// A finite number.
    pub(crate) fn number(self, id: &str) -> Option<f64> {
        number(self.get(id)?)
    }

    /// A finite number above zero, which alone has a place on a logarithmic axis.
    pub(crate) fn positive(self, id: &str) -> Option<f64> {
        self.number(id).filter(|number| *number > 0.0)
    }
}

/// A finite number.
pub(crate) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Integer(integer) => Some(*integer as f64),
        Value::Float(float) if float.is_finite() => Some(*float),
        _ => None,
    }
}

/// A headline number of a section.
pub(crate) fn headline<'a>(section: &'a Section, id: &str) -> Option<&'a Value> {
    section.numbers.iter().find(|number| number.id == id).map(|number| &number.value)
}

/// A point of a `roofline` section.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point<'a> {
    pub(crate) name: &'a str,
    /// Shapes and precisions of its operands, or whatever else tells it from others of the name; empty if nothing does.
    pub(crate) record: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) dtype: &'a str,
    pub(crate) calls: Option<f64>,
    /// Time of all calls in nanoseconds.
    pub(crate) time: Option<f64>,
    pub(crate) flops: Option<f64>,
    pub(crate) intensity: Option<f64>,
    pub(crate) achieved: Option<f64>,
    pub(crate) bandwidth: Option<f64>,
    pub(crate) roof: Option<f64>,
    pub(crate) pct: Option<f64>,
    pub(crate) bound_by: &'a str,
    pub(crate) headroom: Option<f64>,
    pub(crate) status: &'a str,
    pub(crate) symbol: &'a str,
    pub(crate) ideal_intensity: Option<f64>,
    /// The intensity of the knee of its own roof.
    pub(crate) knee: Option<f64>,
    /// Why it lies above its roof; empty if it does not.
    pub(crate) flag: &'a str,
    /// The intensities at memory levels besides main memory.
    pub(crate) levels: Vec<(&'static str, f64)>,
}

/// Memory levels besides main memory: the column of their intensity and what they are called.
pub(crate) const LEVELS: [(&str, &str); 4] =
    [("intensity_llc", "LLC"), ("intensity_l2", "L2"), ("intensity_l1", "L1"), ("intensity_lds", "LDS")];

/// Where a point can be drawn. None is ever drawn at zero.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Place {
    /// At its intensity and what it achieved.
    Measured(f64, f64),
    /// It has no time, so it stands where it could be at best.
    AtRoof(f64, f64),
    /// It computes nothing; only its bandwidth can be shown.
    Bandwidth(f64),
    /// It moves nothing; only what it achieved can be shown.
    Achieved(f64),
    /// There is nothing to show.
    Nowhere,
}

impl Point<'_> {
    /// Where it can be drawn.
    pub(crate) fn place(&self) -> Place {
        let positive = |number: Option<f64>| number.filter(|number| *number > 0.0);
        match (positive(self.intensity), positive(self.achieved)) {
            // Bytes of main memory were not counted: its places are those of the caches.
            (None, Some(_))
                if self.intensity.is_none() && !self.levels.is_empty() && self.bandwidth.is_none() =>
            {
                Place::Nowhere
            }
            (Some(intensity), Some(achieved)) => Place::Measured(intensity, achieved),
            (None, Some(achieved)) => Place::Achieved(achieved),
            (Some(intensity), None) if self.achieved.is_none() => {
                positive(self.roof).map_or(Place::Nowhere, |roof| Place::AtRoof(intensity, roof))
            }
            _ => positive(self.bandwidth).map_or(Place::Nowhere, Place::Bandwidth),
        }
    }
}

/// A ceiling of a `roofline` section, in GFLOP/s (or 10^9 multiply-adds) or in GB/s.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ceiling<'a> {
    pub(crate) name: &'a str,
    pub(crate) rate: f64,
    pub(crate) counts: &'a str,
    pub(crate) knee: Option<f64>,
    pub(crate) source: &'a str,
    pub(crate) confidence: &'a str,
}

impl Ceiling<'_> {
    /// Whether no public document states it, so that it is drawn dashed.
    pub(crate) fn is_unverified(&self) -> bool {
        self.confidence == "unverified"
    }
}

/// A `roofline` section.
pub(crate) struct Roofline<'a> {
    pub(crate) device: &'a str,
    pub(crate) points: Vec<Point<'a>>,
    /// Main memory first.
    pub(crate) memory: Vec<Ceiling<'a>>,
    pub(crate) compute: Vec<Ceiling<'a>>,
    /// How many have no formula.
    pub(crate) unmodelled: usize,
}

impl<'a> Roofline<'a> {
    /// The roofline of a section, if it has one.
    pub(crate) fn of(section: &'a Section) -> Option<Self> {
        let tables = |chart: &Chart| match *chart {
            Chart::Roofline { points, ceilings, without_formula } => {
                Some((points, ceilings, without_formula))
            }
            _ => None,
        };
        let (points, ceilings, without_formula) = section.charts.iter().find_map(tables)?;
        let device = match headline(section, "device") {
            Some(Value::Text(device)) => device.as_str(),
            _ => "",
        };
        let points = Rows::of(section, points).into_iter().flat_map(Rows::iter).map(point).collect();
        let roofs: Vec<Row<'_>> = Rows::of(section, ceilings).into_iter().flat_map(Rows::iter).collect();
        let of_kind = |kind: &str| {
            roofs.iter().filter(|row| row.text("kind") == kind).filter_map(|row| ceiling(*row)).collect()
        };
        let unmodelled = Rows::of(section, without_formula).map_or(0, |rows| rows.table.rows.len());
        Some(Self { device, points, memory: of_kind("memory"), compute: of_kind("compute"), unmodelled })
    }

    /// The compute ceilings that points have as theirs, by the knee or by what bounds them. If no point tells, all.
    pub(crate) fn used(&self) -> Vec<&Ceiling<'a>> {
        let near = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-6;
        let is_used = |ceiling: &&Ceiling<'a>| {
            self.points.iter().any(|point| {
                point.bound_by == ceiling.name
                    || point.knee.zip(ceiling.knee).is_some_and(|(own, knee)| near(own, knee))
            })
        };
        let mut used: Vec<&Ceiling<'a>> = self.compute.iter().filter(is_used).collect();
        if used.is_empty() {
            used = self.compute.iter().collect();
        }
        // Types that share a rate share a line; it is named after those that points have.
        let is_named = |ceiling: &Ceiling<'_>| {
            let arithmetic = ceiling.name.split([' ', '_']).next().unwrap_or_default();
            self.points
                .iter()
                .any(|point| point.bound_by == ceiling.name || point.dtype.eq_ignore_ascii_case(arithmetic))
        };
        let named: Vec<f64> =
            used.iter().filter(|ceiling| is_named(ceiling)).map(|ceiling| ceiling.rate).collect();
        used.retain(|ceiling| is_named(ceiling) || !named.contains(&ceiling.rate));
        used
    }

    /// What the axes count.
    pub(crate) fn counts(&self) -> &'static str {
        let used = self.used();
        let macs = used.iter().filter(|ceiling| ceiling.counts == "mac").count();
        match macs {
            0 => "FLOP",
            all if all == used.len() => "MAC",
            _ => "OP",
        }
    }
}

fn point(row: Row<'_>) -> Point<'_> {
    let intensity = row.number("intensity");
    let knee = intensity.zip(row.number("delta_log10_oi_to_knee"));
    Point {
        record: row.text("record"),
        name: row.text("name"),
        kind: row.text("kind"),
        dtype: row.text("dtype"),
        calls: row.number("calls"),
        time: row.number("time_ns"),
        flops: row.number("flops"),
        intensity,
        achieved: row.number("achieved_gflops"),
        bandwidth: row.number("achieved_gbps"),
        roof: row.number("roof_gflops"),
        pct: row.number("pct_of_roof"),
        bound_by: row.text("bound_by"),
        headroom: row.number("headroom_ns"),
        status: row.text("status"),
        symbol: row.text("symbol"),
        ideal_intensity: row.positive("ideal_intensity"),
        knee: knee.map(|(intensity, delta)| intensity / 10f64.powf(delta)).filter(|knee| *knee > 0.0),
        flag: row.text("flag"),
        levels: LEVELS.iter().filter_map(|(column, name)| Some((*name, row.positive(column)?))).collect(),
    }
}

fn ceiling(row: Row<'_>) -> Option<Ceiling<'_>> {
    Some(Ceiling {
        name: row.text("name"),
        rate: row.positive("rate")?,
        counts: row.text("counts"),
        knee: row.positive("knee"),
        source: row.text("source"),
        confidence: row.text("confidence"),
    })
}

/// An event of a `comm-roofline` section. Bytes are of one call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Event<'a> {
    pub(crate) link: &'a str,
    pub(crate) name: &'a str,
    pub(crate) bytes: Option<f64>,
    pub(crate) calls: Option<f64>,
    pub(crate) time: Option<f64>,
    pub(crate) achieved: Option<f64>,
    pub(crate) roof: Option<f64>,
    pub(crate) utilisation: Option<f64>,
    pub(crate) flag: &'a str,
}

impl Event<'_> {
    /// True if it lies above its roof. A flag alone may also say that the link is not known.
    pub(crate) fn is_above(&self) -> bool {
        !self.flag.is_empty() && self.utilisation.is_some_and(|pct| pct > 100.0)
    }
}

/// A link, in GB/s.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Link<'a> {
    pub(crate) name: &'a str,
    pub(crate) total: f64,
    pub(crate) protocol: Option<f64>,
    pub(crate) source: &'a str,
    pub(crate) confidence: &'a str,
}

/// A `comm-roofline` section.
pub(crate) struct Communication<'a> {
    pub(crate) events: Vec<Event<'a>>,
    pub(crate) links: Vec<Link<'a>>,
}

impl<'a> Communication<'a> {
    /// The messages and links of a section, if it has them.
    pub(crate) fn of(section: &'a Section) -> Option<Self> {
        let tables = |chart: &Chart| match *chart {
            Chart::Links { events, links } => Some((events, links)),
            _ => None,
        };
        let (events, links) = section.charts.iter().find_map(tables)?;
        let event = |row: Row<'a>| Event {
            // What the input calls it may be an alias of a link of the device.
            link: Some(row.text("matched_link")).filter(|link| !link.is_empty()).unwrap_or(row.text("link")),
            name: row.text("name"),
            bytes: row.positive("bytes"),
            calls: row.number("calls"),
            time: row.number("time_ns"),
            achieved: row.positive("achieved_gbps"),
            roof: row.positive("roof_gbps"),
            utilisation: row.number("utilisation_pct"),
            flag: row.text("flag"),
        };
        let link = |row: Row<'a>| {
            Some(Link {
                name: row.text("name"),
                total: row.positive("total_gbps").or_else(|| row.positive("per_direction_gbps"))?,
                protocol: row.positive("protocol_gbps"),
                source: row.text("source"),
                confidence: row.text("confidence"),
            })
        };
        let rows = |id: &str| Rows::of(section, id).into_iter().flat_map(Rows::iter);
        Some(Self {
            events: rows(events).map(event).collect(),
            links: rows(links).filter_map(link).collect(),
        })
    }
}
