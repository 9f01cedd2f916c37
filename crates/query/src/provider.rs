//! A table of many ranks, whose rows are made when the engine asks for them.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use arrow_array::{BooleanArray, Int64Array, RecordBatch, StringViewArray};
use arrow_schema::{ArrowError, SchemaRef};
use async_trait::async_trait;
use datafusion::catalog::{Session, TableProvider};
use datafusion::common::{DFSchema, DataFusionError};
use datafusion::error::Result;
use datafusion::execution::{SendableRecordBatchStream, TaskContext};
use datafusion::logical_expr::{Expr, TableProviderFilterPushDown, TableType};
use datafusion::physical_plan::ExecutionPlan;
use datafusion::physical_plan::stream::RecordBatchReceiverStreamBuilder;
use datafusion::physical_plan::streaming::{PartitionStream, StreamingTableExec};
use eaves_analyze::{Options, RankView};
use eaves_model::parallel;

use crate::ranks::Rank;
use crate::tables::{Entry, RANK, RUN, View, schema_of};

/// Batches that wait to be taken.
const WAITING: usize = 2;

/// A table of some ranks.
pub(crate) struct RankTable {
    table: &'static Entry,
    schema: SchemaRef,
    ranks: Vec<Arc<Rank>>,
    /// Ranks that are read side by side.
    threads: usize,
}

impl RankTable {
    pub(crate) fn new(table: &'static Entry, ranks: &[Arc<Rank>], threads: usize) -> Self {
        Self { table, schema: table.schema(), ranks: ranks.to_vec(), threads: threads.max(1) }
    }

    /// The ranks that can have rows for which the filters hold: what they say about run and rank is known before
    /// anything is read.
    fn wanted(&self, session: &dyn Session, filters: &[Expr]) -> Result<Vec<Arc<Rank>>> {
        let schema = schema_of(&[RUN, RANK]);
        let runs = StringViewArray::from_iter_values(self.ranks.iter().map(|rank| rank.run.as_str()));
        let ranks = Int64Array::from_iter_values(self.ranks.iter().map(|rank| rank.rank));
        let names = RecordBatch::try_new(schema.clone(), vec![Arc::new(runs), Arc::new(ranks)])?;
        let schema = DFSchema::try_from(schema)?;
        let mut wanted = vec![true; self.ranks.len()];
        for filter in filters.iter().filter(|filter| is_about_ranks(filter)) {
            let filter = unqualified(filter.clone())?;
            let filter = session.create_physical_expr(filter, &schema)?;
            let holds = filter.evaluate(&names)?.into_array(names.num_rows())?;
            let Some(holds) = holds.as_any().downcast_ref::<BooleanArray>() else { continue };
            for (wanted, holds) in wanted.iter_mut().zip(holds) {
                *wanted &= holds.unwrap_or(false);
            }
        }
        let kept = self.ranks.iter().zip(wanted).filter(|(_, wanted)| *wanted);
        Ok(kept.map(|(rank, _)| rank.clone()).collect())
    }
}

impl fmt::Debug for RankTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} ranks", self.table.name, self.ranks.len())
    }
}

/// True for a filter that run and rank alone decide.
fn is_about_ranks(filter: &Expr) -> bool {
    let columns: HashSet<&str> = filter.column_refs().iter().map(|column| column.name.as_str()).collect();
    !columns.is_empty()
        && columns.iter().all(|name| [RUN.name, RANK.name].contains(name))
        && !filter.is_volatile()
}

/// The same filter on columns without the name of a table.
fn unqualified(filter: Expr) -> Result<Expr> {
    use datafusion::common::tree_node::{Transformed, TreeNode};
    let plain = |part: Expr| {
        Ok(match part {
            Expr::Column(column) if column.relation.is_some() => {
                Transformed::yes(Expr::Column(datafusion::common::Column::new_unqualified(column.name)))
            }
            other => Transformed::no(other),
        })
    };
    Ok(filter.transform(plain)?.data)
}

#[async_trait]
impl TableProvider for RankTable {
    fn schema(&self) -> SchemaRef {
        self.schema.clone()
    }

    fn table_type(&self) -> TableType {
        TableType::Base
    }

    fn supports_filters_pushdown(&self, filters: &[&Expr]) -> Result<Vec<TableProviderFilterPushDown>> {
        // Whole ranks are skipped; the engine looks at the rows of the others.
        let support = |filter: &&Expr| match is_about_ranks(filter) {
            true => TableProviderFilterPushDown::Inexact,
            false => TableProviderFilterPushDown::Unsupported,
        };
        Ok(filters.iter().map(support).collect())
    }

    async fn scan(
        &self,
        session: &dyn Session,
        projection: Option<&Vec<usize>>,
        filters: &[Expr],
        limit: Option<usize>,
    ) -> Result<Arc<dyn ExecutionPlan>> {
        let columns = projection.cloned().unwrap_or_else(|| (0..self.schema.fields().len()).collect());
        let schema = Arc::new(self.schema.project(&columns)?);
        let ranks = self.wanted(session, filters)?;
        let partitions = session.config().target_partitions().clamp(1, ranks.len().max(1));
        let threads = (self.threads / partitions).max(1);
        let share = ranks.len().div_ceil(partitions).max(1);
        let part = |ranks: &[Arc<Rank>]| -> Arc<dyn PartitionStream> {
            Arc::new(Part {
                table: self.table,
                columns: columns.clone(),
                schema: schema.clone(),
                ranks: ranks.to_vec(),
                threads,
            })
        };
        let mut parts: Vec<Arc<dyn PartitionStream>> = ranks.chunks(share).map(part).collect();
        if parts.is_empty() {
            parts.push(part(&[]));
        }
        Ok(Arc::new(StreamingTableExec::try_new(schema, parts, None, None, false, limit)?))
    }
}

/// Some ranks of a table, one after the other.
#[derive(Debug)]
struct Part {
    table: &'static Entry,
    columns: Vec<usize>,
    schema: SchemaRef,
    ranks: Vec<Arc<Rank>>,
    threads: usize,
}

impl PartitionStream for Part {
    fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    fn execute(&self, _: Arc<TaskContext>) -> SendableRecordBatchStream {
        let mut builder = RecordBatchReceiverStreamBuilder::new(self.schema.clone(), WAITING);
        let sender = builder.tx();
        let (table, schema, columns) = (self.table, self.schema.clone(), self.columns.clone());
        let (ranks, threads) = (self.ranks.clone(), self.threads);
        builder.spawn_blocking(move || {
            let send = |batch: Result<RecordBatch, ArrowError>| {
                // Nobody listens any more when the question is answered or given up.
                sender.blocking_send(batch.map_err(DataFusionError::from)).is_ok()
            };
            for together in ranks.chunks(threads) {
                let opened = parallel::map(together, threads, |_, rank| rank.open());
                for (rank, opened) in together.iter().zip(opened) {
                    let opened = opened.map_err(|error| DataFusionError::External(Box::new(error)))?;
                    let Some(recording) = opened.recording() else { continue };
                    let options = Options::default();
                    let view = RankView::new(&recording.trace, &options);
                    let view = View { run: &rank.run, recording, rank: &view };
                    if !table.fill(&view, &columns, &schema, &mut |batch| send(batch)) {
                        return Ok(());
                    }
                }
            }
            Ok(())
        });
        builder.build()
    }
}
