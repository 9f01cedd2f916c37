//! Exports as files: which ones there are, how they are called, and that they appear whole or not at all.
//!
//! Of several recordings each table has a column `rank`, and the files are in folders such as `rank=3`, which
//! data bases know how to read.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use eaves_model::{Recording, Trace};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;

use eaves_store::parquet;
pub use eaves_store::staging::abandon_all;
use eaves_store::staging::{StagedDirectory, StagedFile};
use eaves_store::tables::{FlatTable, flat_table, flat_tables, rank_column};

use super::{chrome, csv, header, kernels, perfetto};

/// The kernel table with names, times, extents and counters in one place, which Parquet alone has.
pub const KERNELS: &str = "kernels";

/// A format that holds a whole trace in one file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFormat {
    /// Chrome JSON as PyTorch's profiler writes it.
    Chrome,
    /// The same with overlapping slices on lanes of their own.
    Perfetto,
}

impl TraceFormat {
    /// Writes a trace. The answer is the number of events.
    ///
    /// # Errors
    /// Only those of the output.
    pub fn write(self, trace: &Trace, output: &mut impl Write) -> io::Result<u64> {
        match self {
            Self::Chrome => chrome::write(trace, output),
            Self::Perfetto => perfetto::write(trace, output),
        }
    }
}

/// A format that holds one table per file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableFormat {
    /// Text with commas.
    Csv,
    /// Parquet.
    Parquet,
}

impl TableFormat {
    /// How names of such files end.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::Parquet => "parquet",
        }
    }

    /// Writes the parts of one table.
    ///
    /// # Errors
    /// Only those of the output.
    pub fn write(self, parts: &[FlatTable<'_>], output: impl Write + Send) -> io::Result<()> {
        match self {
            Self::Csv => csv::write(parts, output),
            Self::Parquet => parquet::write(parts, output),
        }
    }
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExportedFile {
    /// Where it is.
    pub path: PathBuf,
    /// The table in it; nothing for a whole trace.
    pub table: Option<&'static str>,
    /// The rank, if it is of one among several.
    pub rank: Option<i64>,
    /// Rows of the table, or events of the trace.
    pub rows: u64,
    /// Size.
    pub bytes: u64,
    /// Numbers that do not fit their column and are empty there.
    pub too_large: u64,
    /// Hardware counters that have no column of their own, because there are too many.
    pub counters_left_out: u64,
}

/// Why nothing was exported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The system refused. The user's or the machine's fault.
    #[error("cannot write the output: {source}: {}", path.display())]
    Output {
        /// Written files.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// The directory would have to be replaced, but has something in it that no export wrote.
    #[error("the directory contains something other than an export: {}", entry.display())]
    Occupied {
        /// What is in it.
        entry: PathBuf,
    },
    /// The model has no such table.
    #[error("no table `{name}`")]
    UnknownTable {
        /// The name.
        name: String,
    },
}

impl Error {
    fn at(path: &Path) -> impl Fn(io::Error) -> Self + '_ {
        |source| Self::Output { path: path.to_owned(), source }
    }
}

/// Writes a trace to a file, compressed if its name ends in `.gz`.
///
/// # Errors
/// If the file cannot be written.
pub fn write_trace(trace: &Trace, format: TraceFormat, path: &Path) -> Result<ExportedFile, Error> {
    let failed = Error::at(path);
    let mut staged = StagedFile::create(path).map_err(&failed)?;
    let rows = if is_gzip(path) {
        let mut encoder = GzEncoder::new(staged.file(), Compression::default());
        let rows = format.write(trace, &mut encoder).map_err(&failed)?;
        encoder.finish().map_err(&failed)?;
        rows
    } else {
        format.write(trace, staged.file()).map_err(&failed)?
    };
    let bytes = staged.complete().map_err(&failed)?;
    Ok(ExportedFile {
        path: path.to_owned(),
        table: None,
        rank: None,
        rows,
        bytes,
        too_large: 0,
        counters_left_out: 0,
    })
}

/// Writes each recording to its own file in a directory, compressed if the input was. An earlier export in
/// the directory is replaced.
///
/// # Errors
/// If the directory cannot be written or holds anything else.
pub fn write_traces(
    recordings: &[Recording],
    format: TraceFormat,
    directory: &Path,
) -> Result<Vec<ExportedFile>, Error> {
    in_directory(directory, is_trace_file, |staging| {
        let write = |(index, recording): (usize, &Recording)| {
            let suffix = suffix(recordings, index);
            let ending = if recording.container == "plain" { "json" } else { "json.gz" };
            let path = staging.join(format!("rank-{}{suffix}.{ending}", recording.rank));
            let file = write_trace(&recording.trace, format, &path)?;
            Ok(ExportedFile { rank: Some(recording.rank), ..file })
        };
        recordings.iter().enumerate().map(write).collect()
    })
}

/// Writes one table of all recordings to one file.
///
/// # Errors
/// If there is no such table or the file cannot be written.
pub fn write_table(
    recordings: &[Recording],
    table: &str,
    format: TableFormat,
    path: &Path,
) -> Result<ExportedFile, Error> {
    if table == KERNELS && format == TableFormat::Parquet {
        return write_kernels(recordings, path);
    }
    match flat_table(recordings, table) {
        Some(parts) => write_parts(&parts, format, path),
        None => Err(Error::UnknownTable { name: table.to_owned() }),
    }
}

/// Writes every table that has rows to its own file in a directory. An earlier export in the directory is
/// replaced.
///
/// # Errors
/// If the directory cannot be written or holds anything else.
pub fn write_tables(
    recordings: &[Recording],
    format: TableFormat,
    directory: &Path,
) -> Result<Vec<ExportedFile>, Error> {
    in_directory(directory, is_table_file, |staging| {
        let mut files = Vec::new();
        for (index, recording) in recordings.iter().enumerate() {
            let rank = rank_column(recordings, recording);
            let folder = rank.map_or(staging.to_owned(), |rank| staging.join(format!("rank={rank}")));
            fs::create_dir_all(&folder).map_err(Error::at(&folder))?;
            for table in flat_tables(&recording.trace, rank) {
                let name = format!("{}{}.{}", table.name, suffix(recordings, index), format.extension());
                let file = write_parts(&[table], format, &folder.join(name))?;
                files.push(ExportedFile { rank, ..file });
            }
            if format == TableFormat::Parquet && !recording.trace.gpu.is_empty() {
                let name = format!("{KERNELS}{}.parquet", suffix(recordings, index));
                let file = write_kernels(std::slice::from_ref(recording), &folder.join(name))?;
                files.push(ExportedFile { rank, ..file });
            }
        }
        Ok(files)
    })
}

/// Writes the kernels of all recordings to one Parquet file, in their own schema.
///
/// # Errors
/// If the file cannot be written.
pub fn write_kernels(recordings: &[Recording], path: &Path) -> Result<ExportedFile, Error> {
    let failed = Error::at(path);
    let mut staged = StagedFile::create(path).map_err(&failed)?;
    let kernels::Written { rows, too_large, counters_left_out } =
        kernels::write(recordings, staged.file()).map_err(&failed)?;
    let bytes = staged.complete().map_err(&failed)?;
    let path = path.to_owned();
    Ok(ExportedFile { path, table: Some(KERNELS), rank: None, rows, bytes, too_large, counters_left_out })
}

fn write_parts(parts: &[FlatTable<'_>], format: TableFormat, path: &Path) -> Result<ExportedFile, Error> {
    let failed = Error::at(path);
    let mut staged = StagedFile::create(path).map_err(&failed)?;
    format.write(parts, staged.file()).map_err(&failed)?;
    let bytes = staged.complete().map_err(&failed)?;
    let rows = parts.iter().map(|part| part.rows as u64).sum();
    Ok(ExportedFile {
        path: path.to_owned(),
        table: parts.first().map(|part| part.name),
        rank: None,
        rows,
        bytes,
        too_large: 0,
        counters_left_out: 0,
    })
}

/// Tells recordings of one rank apart: nothing for the first, `.2` for the second.
fn suffix(recordings: &[Recording], index: usize) -> String {
    let rank = recordings[index].rank;
    match recordings[..index].iter().filter(|earlier| earlier.rank == rank).count() {
        0 => String::new(),
        earlier => format!(".{}", earlier + 1),
    }
}

/// Writes files to a directory that appears when all of them are complete.
fn in_directory(
    directory: &Path,
    is_ours: impl Fn(&Path) -> bool,
    write: impl FnOnce(&Path) -> Result<Vec<ExportedFile>, Error>,
) -> Result<Vec<ExportedFile>, Error> {
    let failed = Error::at(directory);
    if directory.exists() {
        find_stranger(directory, &is_ours)
            .map_err(&failed)?
            .map_or(Ok(()), |entry| Err(Error::Occupied { entry }))?;
    }
    let staged = StagedDirectory::create(directory).map_err(&failed)?;
    let mut files = write(staged.path()).map_err(|error| in_place(error, staged.path(), directory))?;
    for file in &mut files {
        file.path = moved(&file.path, staged.path(), directory);
    }
    staged.complete().map_err(&failed)?;
    Ok(files)
}

/// An error about a temporary name says nothing to the user; the final name does.
fn in_place(error: Error, staging: &Path, directory: &Path) -> Error {
    match error {
        Error::Output { path, source } => Error::Output { path: moved(&path, staging, directory), source },
        other => other,
    }
}

fn moved(path: &Path, staging: &Path, directory: &Path) -> PathBuf {
    path.strip_prefix(staging).map_or_else(|_| path.to_owned(), |rest| directory.join(rest))
}

/// The first entry, by name, that no export wrote.
fn find_stranger(directory: &Path, is_ours: &impl Fn(&Path) -> bool) -> io::Result<Option<PathBuf>> {
    let mut entries = fs::read_dir(directory)?.collect::<io::Result<Vec<_>>>()?;
    entries.sort_unstable_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_folder = entry.file_type()?.is_dir();
        if is_folder && name.strip_prefix("rank=").is_some_and(|rank| rank.parse::<i64>().is_ok()) {
            let stranger = find_stranger(&entry.path(), is_ours)?;
            if stranger.is_some() {
                return Ok(stranger);
            }
        } else if is_folder || !is_ours(&entry.path()) {
            return Ok(Some(entry.path()));
        }
    }
    Ok(None)
}

/// True for a table that was exported. The name alone proves nothing: people call their files `counters.csv` too.
fn is_table_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let Some((table, ending)) = name.split_once('.') else { return false };
    match ending.rsplit('.').next() {
        Some("csv") => csv::is_export(path, table),
        Some("parquet") => parquet::is_export(path),
        _ => false,
    }
}

/// True for a trace that was exported.
fn is_trace_file(path: &Path) -> bool {
    let mut beginning = Vec::new();
    let read = File::open(path).and_then(|file| {
        let most = header::SIGNATURE.len() as u64;
        if is_gzip(path) {
            GzDecoder::new(file).take(most).read_to_end(&mut beginning)
        } else {
            file.take(most).read_to_end(&mut beginning)
        }
    });
    // Up to the version, which may be another.
    read.is_ok() && beginning.starts_with(b"{\"exportedBy\":\"eaves ")
}

fn is_gzip(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gz"))
}
