//! One row, whether its cells stand in columns or each behind its name.

use super::cells::{self, Cells, Stamp};
use super::columns::{Columns, Field};
use super::names;
use super::pairs::Pairs;
use super::recorder::{Kernel, When};

/// A row.
#[derive(Clone, Copy)]
pub(in super::super::super) struct Row<'a> {
    /// Where it begins.
    pub(in super::super::super) offset: u64,
    line: &'a [u8],
    cells: Form<'a>,
}

#[derive(Clone, Copy)]
enum Form<'a> {
    Columns(&'a Columns, &'a Cells),
    Pairs(&'a Pairs),
}

impl<'a> Row<'a> {
    /// A row of a table.
    pub(in super::super::super) fn of_table(
        line: &'a [u8],
        offset: u64,
        columns: &'a Columns,
        cells: &'a Cells,
    ) -> Self {
        Self { offset, line, cells: Form::Columns(columns, cells) }
    }

    /// A row whose cells say what they are.
    pub(in super::super::super) fn of_pairs(line: &'a [u8], offset: u64, pairs: &'a Pairs) -> Self {
        Self { offset, line, cells: Form::Pairs(pairs) }
    }

    /// The cell of a column of a table.
    pub(in super::super::super) fn at(&self, column: usize) -> &'a [u8] {
        match self.cells {
            Form::Columns(_, cells) => cells.get(self.line, column),
            Form::Pairs(_) => &[],
        }
    }

    /// The cell of a field, if it is there and not empty.
    pub(in super::super::super) fn cell(&self, field: Field) -> Option<&'a [u8]> {
        let cell = match self.cells {
            Form::Columns(columns, cells) => cells.get(self.line, columns.at(field)?),
            Form::Pairs(pairs) => pairs.get(self.line, field)?,
        };
        (!cell.is_empty()).then_some(cell)
    }

    /// A whole number.
    pub(in super::super::super) fn integer(&self, field: Field) -> Option<i64> {
        self.cell(field).and_then(cells::integer)
    }

    /// A whole number that is not negative.
    pub(in super::super::super) fn count(&self, field: Field) -> Option<u64> {
        self.cell(field).and_then(cells::count)
    }

    /// The number of an agent.
    pub(in super::super::super) fn agent(&self, field: Field) -> Option<i64> {
        self.cell(field).and_then(names::agent)
    }

    /// The number of the device.
    pub(in super::super::super) fn device(&self) -> Option<u32> {
        self.agent(Field::Device).and_then(|device| u32::try_from(device).ok())
    }

    /// When it happened.
    pub(in super::super::super) fn when(&self) -> When {
        let stamp = |field| self.cell(field).map_or(Stamp::Missing, cells::stamp);
        When { start: stamp(Field::Start), end: stamp(Field::End), offset: self.offset }
    }

    /// Process and thread.
    pub(in super::super::super) fn place(&self) -> (Option<i64>, Option<i64>) {
        (self.integer(Field::Process), self.integer(Field::Thread))
    }

    /// The dispatch that it is about.
    pub(in super::super::super) fn kernel(&self) -> Kernel<'a> {
        let axes = |x, y, z| Some([self.count(x)?, self.count(y)?, self.count(z)?]);
        Kernel {
            name: self.cell(Field::KernelName).unwrap_or_default(),
            device: self.device(),
            queue: self.integer(Field::Queue),
            stream: self.integer(Field::Stream),
            correlation: self.integer(Field::Correlation),
            number: self.integer(Field::Number),
            work_items: axes(Field::GridX, Field::GridY, Field::GridZ),
            total_work_items: self.count(Field::GridSize),
            group: axes(Field::GroupX, Field::GroupY, Field::GroupZ),
            group_size: self.count(Field::GroupSize),
            registers: self.count(Field::Registers),
            vector_registers: self.count(Field::VectorRegisters),
            accumulation_registers: self.count(Field::AccumulationRegisters),
            scalar_registers: self.count(Field::ScalarRegisters),
            shared_memory: self.count(Field::SharedMemory),
            scratch: self.count(Field::Scratch),
            wave_size: self.count(Field::WaveSize),
        }
    }
}
