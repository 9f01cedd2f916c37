//! A question from text to rows.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};

use arrow_array::{ArrayRef, Int64Array, RecordBatch, RecordBatchOptions, StringViewArray};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use datafusion::arrow::compute::cast;
use datafusion::datasource::MemTable;
use datafusion::error::DataFusionError;
use datafusion::execution::disk_manager::{DiskManagerBuilder, DiskManagerMode};
use datafusion::execution::runtime_env::RuntimeEnvBuilder;
use datafusion::execution::session_state::SessionStateBuilder;
use datafusion::logical_expr::LogicalPlan;
use datafusion::prelude::{SQLOptions, SessionConfig, SessionContext};
use datafusion::sql::sqlparser::dialect::GenericDialect;
use datafusion::sql::sqlparser::tokenizer::{Token, Tokenizer};
use futures_util::StreamExt;

use crate::explain::explained;
use crate::provider::RankTable;
use crate::ranks::Rank;
use crate::{Error, Limits, Ranks, ResultSet, functions, tables};

/// Letters of a question.
const LONGEST: usize = 1 << 16;
/// Words, numbers and signs of a question. A plan is a tree, at worst as deep as the question is long.
const MOST_WORDS: usize = 2_000;
/// Stack of the threads that walk such a tree; what is not used costs nothing.
const STACK: usize = 256 << 20;
/// Questions with a limit of time that may run at once.
const MOST_RUNNING: usize = 8;
/// Partitions of a plan. With one, the same question has the same answer in the same order, whatever the machine, unless
/// branches of a UNION race.
const PARTITIONS: usize = 1;

/// Answers a question.
pub(crate) fn query(sql: &str, ranks: &Ranks, limits: &Limits) -> Result<ResultSet, Error> {
    query_in(sql, ranks, limits, PARTITIONS)
}

/// Answers a question with a plan of this many partitions.
pub(crate) fn query_in(
    sql: &str,
    ranks: &Ranks,
    limits: &Limits,
    partitions: usize,
) -> Result<ResultSet, Error> {
    check_length(sql)?;
    let running = Running::begin(limits)?;
    let failed = |error: std::io::Error| Error::Engine { cause: error.to_string() };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(limits.threads.max(1))
        .thread_stack_size(STACK)
        .build()
        .map_err(failed)?;
    // The clock is watched here, whatever the threads of the engine do.
    let (sender, receiver) = mpsc::channel();
    let question = answer(sql.to_owned(), ranks.clone(), *limits, partitions);
    let task = runtime.spawn(async move {
        // Held until the work ends, not only until nobody waits for it.
        let _running = running;
        // Nobody listens any more when the time is over.
        drop(sender.send(question.await));
    });
    let ended = match limits.time {
        None => receiver.recv().map_err(|_| RecvTimeoutError::Disconnected),
        Some(limit) => receiver.recv_timeout(limit),
    };
    task.abort();
    // A rank that is being read is not waited for.
    runtime.shutdown_background();
    match (ended, limits.time) {
        (Ok(answer), _) => answer,
        (Err(RecvTimeoutError::Timeout), Some(limit)) => Err(Error::TooLong { limit }),
        (Err(_), _) => Err(Error::Engine { cause: "it ended early".to_owned() }),
    }
}

/// A question that is being answered, or was given up and has not ended yet: what computes one value of a row cannot be
/// interrupted.
struct Running;

static RUNNING: AtomicUsize = AtomicUsize::new(0);

impl Running {
    /// Refuses where time is limited and too many have not ended.
    fn begin(limits: &Limits) -> Result<Self, Error> {
        let running = Self;
        let before = RUNNING.fetch_add(1, Ordering::Relaxed);
        if limits.time.is_some() && before >= MOST_RUNNING { Err(Error::Busy) } else { Ok(running) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        RUNNING.fetch_sub(1, Ordering::Relaxed);
    }
}

fn check_length(sql: &str) -> Result<(), Error> {
    let too_long = |count: usize, what: &str, most: usize| Error::Sql {
        message: format!("the query has {count} {what}"),
        place: None,
        hint: format!("the limit is {most}"),
    };
    if sql.len() > LONGEST {
        return Err(too_long(sql.len(), "letters", LONGEST));
    }
    // What cannot even be taken apart into words, the parser explains.
    let words = Tokenizer::new(&GenericDialect {}, sql).tokenize().unwrap_or_default();
    let count = words.iter().filter(|word| !matches!(word, Token::Whitespace(_))).count();
    if count > MOST_WORDS {
        return Err(too_long(count, "words and signs", MOST_WORDS));
    }
    Ok(())
}

async fn answer(sql: String, ranks: Ranks, limits: Limits, partitions: usize) -> Result<ResultSet, Error> {
    let wrong = |error: DataFusionError| explained(&error);
    let context = session(&ranks, &limits, partitions).map_err(wrong)?;
    let plan = context.state().create_logical_plan(&sql).await.map_err(wrong)?;
    check(&plan)?;
    let frame = context.execute_logical_plan(plan).await.map_err(wrong)?;
    let mut stream = frame.execute_stream().await.map_err(wrong)?;
    let schema = simple_schema(&stream.schema());
    let mut batches = Vec::new();
    let (mut rows, mut truncated) = (0, false);
    let mut bytes = 0_usize;
    while let Some(batch) = stream.next().await {
        let batch = batch.map_err(wrong)?;
        // The pool of the engine does not count what leaves it, and a column of text holds 2 GiB at most.
        let of_batch = batch.get_array_memory_size();
        bytes = bytes.saturating_add(of_batch);
        if of_batch > i32::MAX as usize || limits.memory.is_some_and(|most| bytes > most) {
            return Err(Error::TooLarge { cause: format!("its rows exceed {} MB", bytes / 1_000_000) });
        }
        let left = limits.rows.map_or(usize::MAX, |most| most - rows);
        truncated = batch.num_rows() > left;
        let kept = if truncated { batch.slice(0, left) } else { batch };
        rows += kept.num_rows();
        batches.push(simple(&kept, &schema).map_err(wrong)?);
        if truncated {
            break;
        }
    }
    Ok(ResultSet { schema, batches, truncated })
}

/// Only questions are answered.
fn check(plan: &LogicalPlan) -> Result<(), Error> {
    let options = SQLOptions::new().with_allow_ddl(false).with_allow_dml(false).with_allow_statements(false);
    let Err(refusal) = options.verify_plan(plan) else { return Ok(()) };
    // "DDL not supported: DropTable": what stands behind the colon is the statement.
    let message = refusal.strip_backtrace();
    let what = message.rsplit(": ").next().unwrap_or(&message);
    Err(Error::NotAQuestion { what: format!("`{what}`") })
}

fn session(ranks: &Ranks, limits: &Limits, partitions: usize) -> Result<SessionContext, DataFusionError> {
    let mut config = SessionConfig::new().with_target_partitions(partitions).with_information_schema(true);
    config.options_mut().sql_parser.collect_spans = true;
    let mut disk = DiskManagerBuilder::default();
    // What does not fit in memory is an error, and no file.
    disk.set_mode(DiskManagerMode::Disabled);
    let mut runtime = RuntimeEnvBuilder::new().with_disk_manager_builder(disk);
    if let Some(memory) = limits.memory {
        runtime = runtime.with_memory_limit(memory, 1.0);
    }
    let state = SessionStateBuilder::new()
        .with_config(config)
        .with_runtime_env(runtime.build_arc()?)
        .with_default_features()
        .build();
    let context = SessionContext::new_with_state(state);
    for table in tables::ALL {
        let provider = RankTable::new(table, &ranks.0, limits.threads);
        context.register_table(table.name, Arc::new(provider))?;
    }
    context.register_table(tables::runs().name, Arc::new(runs(&ranks.0)?))?;
    functions::register(&context);
    Ok(context)
}

/// The table of runs.
fn runs(ranks: &[Arc<Rank>]) -> Result<MemTable, DataFusionError> {
    let mut runs: Vec<(&str, i64)> = Vec::new();
    for rank in ranks {
        match runs.iter_mut().find(|(run, _)| *run == rank.run) {
            Some((_, count)) => *count += 1,
            None => runs.push((&rank.run, 1)),
        }
    }
    let schema = tables::schema_of(&tables::runs().columns);
    let names = StringViewArray::from_iter_values(runs.iter().map(|(run, _)| run));
    let counts = Int64Array::from_iter_values(runs.iter().map(|(_, count)| *count));
    let batch = RecordBatch::try_new(schema.clone(), vec![Arc::new(names), Arc::new(counts)])?;
    MemTable::try_new(schema, vec![vec![batch]])
}

/// Columns as an answer has them. What is neither number nor truth is a text. Columns of one name, which SQL allows and
/// files and mappings do not, are numbered.
fn simple_schema(schema: &SchemaRef) -> SchemaRef {
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut fields = Vec::with_capacity(schema.fields().len());
    for field in schema.fields() {
        let data_type = match field.data_type() {
            DataType::Boolean => DataType::Boolean,
            integer if integer.is_integer() => DataType::Int64,
            float
                if float.is_floating()
                    || matches!(float, DataType::Decimal128(..) | DataType::Decimal256(..)) =>
            {
                DataType::Float64
            }
            _ => DataType::Utf8,
        };
        let count = used.entry(field.name()).or_default();
        *count += 1;
        let name = if *count == 1 { field.name().clone() } else { format!("{} ({count})", field.name()) };
        fields.push(Field::new(name, data_type, true));
    }
    Arc::new(Schema::new(fields))
}

fn simple(batch: &RecordBatch, schema: &SchemaRef) -> Result<RecordBatch, DataFusionError> {
    let columns = batch.columns().iter().zip(schema.fields());
    let columns: Vec<ArrayRef> =
        columns.map(|(column, field)| cast(column, field.data_type())).collect::<Result<_, _>>()?;
    let options = RecordBatchOptions::new().with_row_count(Some(batch.num_rows()));
    Ok(RecordBatch::try_new_with_options(schema.clone(), columns, &options)?)
}
