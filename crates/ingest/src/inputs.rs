//! From what the user names to files: directories, patterns, ranks.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use eaves_store::{Object, is_address};

use crate::datasets;
use crate::formats::profilers::nsys;
use crate::formats::{self, FIRST};
use crate::{Error, Wanted};

/// One thing to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Standard input.
    Stdin,
    /// A file the user named.
    File(PathBuf),
    /// A file found in a directory or by a pattern: if it is not a trace, it is skipped.
    Found(PathBuf),
    /// A dataset, a run of one, or a rank of that.
    Dataset(PathBuf),
    /// An object of an object store, and whether the user named it.
    Object(Object, bool),
}

/// Meaning of the user's options.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The words.
    pub(crate) shown: String,
    pub(crate) list: Vec<Input>,
}

impl Inputs {
    /// All recordings that words stand for.
    ///
    /// # Errors
    /// If a word stands for nothing.
    pub fn find(words: &[PathBuf]) -> Result<Self, Error> {
        Self::find_wanted(words, Wanted::Recordings)
    }

    /// Everything that words stand for: files, directories, patterns, standard input (`-`), datasets. Of a directory, the
    /// files that may be of use.
    ///
    /// # Errors
    /// If a word stands for nothing.
    pub fn find_wanted(words: &[PathBuf], wanted: Wanted) -> Result<Self, Error> {
        let list = expand(words, wanted)?;
        let shown = words.iter().map(|word| word.display().to_string()).collect::<Vec<_>>().join(" ");
        Ok(Self { shown, list })
    }

    /// Keeps the files of which it is said; what is not a file stays.
    pub fn retain(&mut self, mut keep: impl FnMut(&Path) -> bool) {
        self.list.retain(|input| match input {
            Input::File(path) | Input::Found(path) => keep(path),
            Input::Object(object, _) => keep(Path::new(&object.address)),
            Input::Stdin | Input::Dataset(_) => true,
        });
    }

    /// Makes a named file that cannot be read as little of an error as one that was found.
    pub fn pass_over_faults(&mut self) {
        for input in &mut self.list {
            match input {
                Input::File(path) => *input = Input::Found(std::mem::take(path)),
                Input::Object(_, named) => *named = false,
                Input::Stdin | Input::Found(_) | Input::Dataset(_) => {}
            }
        }
    }

    /// The files, in the order they are read in. Of a dataset these are the folders of its ranks, of a bucket the addresses of
    /// its objects.
    ///
    /// # Errors
    /// If a dataset cannot be read.
    pub fn files(&self) -> Result<Vec<PathBuf>, Error> {
        let mut files = Vec::new();
        for input in &self.list {
            match input {
                Input::Stdin => files.push(PathBuf::from("-")),
                Input::File(path) | Input::Found(path) => files.push(path.clone()),
                Input::Object(object, _) => files.push(PathBuf::from(&object.address)),
                Input::Dataset(path) => {
                    files.extend(datasets::ranks(path)?.iter().map(|rank| PathBuf::from(rank.place())));
                }
            }
        }
        Ok(files)
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// True without any.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}

/// True for names that traces have.
pub(crate) fn may_be_trace(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    // A packed report of Nsight Compute is named as no other file is, and must be unpacked to look into it.
    [".json", ".gz", ".zst", ".zip", ".ncu-repz"].iter().any(|ending| name.ends_with(ending))
}

/// Endings that files of profilers have, and many other files too.
const OF_PROFILERS: [&str; 14] = [
    ".csv",
    ".db",
    ".log",
    ".ncu-rep",
    ".nsys-rep",
    ".perfetto-trace",
    ".pftrace",
    ".pickle",
    ".pkl",
    ".proto",
    ".qdrep",
    ".sqlite",
    ".sqlite3",
    ".txt",
];

/// Endings that files of our own have, besides those of traces.
const OF_OURS: [&str; 3] = [".eaves-partial", ".htm", ".html"];

/// True for a file that is of use by its beginning, on disk or in an archive, where its name alone does not tell.
/// `is_export` tells whether another file is there too, and as new.
pub(crate) fn is_of_use<R: Read>(
    path: &Path,
    wanted: Wanted,
    is_export: impl FnOnce(&Path) -> bool,
    open: impl FnOnce() -> io::Result<R>,
) -> bool {
    let name = path.to_string_lossy().to_ascii_lowercase();
    let may_be = |endings: &[&str]| endings.iter().any(|ending| name.ends_with(ending));
    let is_looked_at = may_be(&OF_PROFILERS) || (wanted == Wanted::Everything && may_be(&OF_OURS));
    if !is_looked_at {
        return false;
    }
    if nsys::is_report(&name) {
        // The database made of a report of Nsight Systems is the same run and is read instead.
        return !is_export(&path.with_extension("sqlite"));
    }
    let mut first = Vec::new();
    let read = open().and_then(|file| file.take(FIRST).read_to_end(&mut first));
    // The log of `eaves profile` begins with a command. It has what the profiler said, and never a table.
    let is_own_log = name.ends_with(".log") && first.starts_with(b"$ ");
    read.is_ok() && !is_own_log && formats::is_of_use(&name, &first, wanted)
}

/// Everything the user's words stand for, in order of the words, files of a directory in order of their names.
pub(crate) fn expand(words: &[PathBuf], wanted: Wanted) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for word in words {
        if datasets::is_part(word)? {
            inputs.push(Input::Dataset(word.clone()));
        } else if let Some(address) = word.to_str().filter(|text| is_address(text)) {
            inputs.extend(objects(address)?);
        } else {
            inputs.extend(expand_with(std::slice::from_ref(word), &|path| is_trace(path, wanted))?);
        }
    }
    Ok(inputs)
}

/// The same for logs of compilers.
pub(crate) fn expand_logs(words: &[PathBuf]) -> Result<Vec<Input>, Error> {
    expand_with(words, &|path| {
        let name = path.to_string_lossy().to_ascii_lowercase();
        [".log", ".txt", ".gz", ".zst", ".zip"].iter().any(|ending| name.ends_with(ending))
    })
}

/// The object at an address, or those below it that may be traces by their names. Contents are not looked into, which would
/// fetch each of them twice.
fn objects(address: &str) -> Result<Vec<Input>, Error> {
    if let Some(object) = Object::find(address)? {
        return Ok(vec![Input::Object(object, true)]);
    }
    let mut below = Object::below(address)?;
    let count = below.len();
    below.retain(|object| object.address.rsplit('/').next().is_some_and(may_be_trace));
    if below.is_empty() {
        return Err(Error::NothingThere { path: address.to_owned(), count });
    }
    Ok(below.into_iter().map(|object| Input::Object(object, false)).collect())
}

fn expand_with(words: &[PathBuf], wanted: &dyn Fn(&Path) -> bool) -> Result<Vec<Input>, Error> {
    let mut inputs = Vec::new();
    for word in words {
        if word.as_os_str() == "-" {
            inputs.push(Input::Stdin);
        } else if word.is_dir() {
            let mut found = Vec::new();
            let count = walk(word, wanted, &mut found)?;
            if found.is_empty() {
                return Err(Error::NothingThere { path: word.display().to_string(), count });
            }
            let (made, mut raw): (Vec<PathBuf>, Vec<PathBuf>) =
                found.into_iter().partition(|path| tables_of_raw(path).is_none());
            raw.retain(|path| !made.iter().any(|made| made.parent() == tables_of_raw(path)));
            inputs.extend(made.into_iter().chain(raw).map(Input::Found));
        } else if word.exists() {
            inputs.push(Input::File(word.clone()));
        } else {
            inputs.extend(matching(word)?.into_iter().map(Input::Found));
        }
    }
    Ok(inputs)
}

/// Where rocprof writes its tables, for a file that it keeps before it makes them: `data/RUN/PASS/results.txt` is below that
/// place. With both, each kernel would be there twice.
fn tables_of_raw(path: &Path) -> Option<&Path> {
    let data = path.ancestors().nth(3).filter(|data| data.file_name().is_some_and(|name| name == "data"))?;
    data.parent().filter(|_| path.extension().is_some_and(|ending| ending == "txt"))
}

/// True for a file of a directory that may be a trace, or something else of use.
fn is_trace(path: &Path, wanted: Wanted) -> bool {
    let is_export = |export: &Path| nsys::is_export_of(export, path);
    path.file_name().is_some_and(|name| may_be_trace(&name.to_string_lossy()))
        || is_of_use(path, wanted, is_export, || File::open(path)) && !is_outdated(path)
}

/// Files below a directory that are wanted, sorted; the answer counts all files.
pub(crate) fn walk(
    directory: &Path,
    wanted: &dyn Fn(&Path) -> bool,
    found: &mut Vec<PathBuf>,
) -> Result<usize, Error> {
    let failed = |source| Error::Io { path: directory.to_owned(), source };
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(failed)? {
        entries.push(entry.map_err(failed)?);
    }
    entries.sort_by_key(std::fs::DirEntry::file_name);
    let mut count = 0;
    for entry in entries {
        let path = entry.path();
        // A link to a directory is not followed, so a loop of links cannot trap the walk.
        if entry.file_type().map_err(failed)?.is_dir() {
            count += walk(&path, wanted, found)?;
        } else {
            count += 1;
            if wanted(&path) {
                found.push(path);
            }
        }
    }
    Ok(count)
}

/// True for a database made of a report that was recorded again since: it is of another run, and the report is read.
fn is_outdated(export: &Path) -> bool {
    let is_export = export.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("sqlite"));
    let mut reports = ["nsys-rep", "qdrep"].map(|ending| export.with_extension(ending)).into_iter();
    is_export && reports.any(|report| report.is_file() && !nsys::is_export_of(export, &report))
}

fn matching(pattern: &Path) -> Result<Vec<PathBuf>, Error> {
    let not_found = || Error::NotFound { path: pattern.to_owned() };
    let paths = glob::glob(&pattern.to_string_lossy()).map_err(|_| not_found())?;
    let mut found: Vec<PathBuf> = paths.flatten().filter(|path| path.is_file()).collect();
    if found.is_empty() {
        return Err(not_found());
    }
    found.sort();
    Ok(found)
}

/// The rank a file name tells: the number behind the last `rank`, as in `rank3`, `rank-3` or `rank_03`.
pub(crate) fn rank_of_name(path: &str) -> Option<i64> {
    let name = path.rsplit(['/', '\\', '!']).next()?.to_ascii_lowercase();
    let (at, _) = name.rmatch_indices("rank").find(|(at, _)| {
        let rest = name[at + 4..].trim_start_matches(['-', '_', '.', '=']);
        rest.starts_with(|first: char| first.is_ascii_digit())
    })?;
    let rest = name[at + 4..].trim_start_matches(['-', '_', '.', '=']);
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_ranks() {
        for (name, rank) in [
            ("logs/rank0.json.gz", Some(0)),
            ("sampled_rank-12.json.gz", Some(12)),
            ("rank_03_step5.json", Some(3)),
            ("ranks/worker.json", None),
            ("rank1/trace.json", None),
            ("traces.zip!rank7.json", Some(7)),
            ("graph_capture_rank_0.1773709742341309550.pt.trace.json.gz", Some(0)),
            ("rank99999999999999999999.json", None),
            ("trace.json", None),
        ] {
            assert_eq!(rank_of_name(name), rank, "{name}");
        }
    }

    #[test]
    fn words_become_files() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::create_dir(at("inner")).unwrap();
        for name in ["b.json", "a.json.gz", "notes.txt", "table.csv", "inner/c.json.zst"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::fs::write(at("d.csv"), "Index,KernelName,gpu-id,grd,wgr\n").unwrap();
        for name in ["e.nsys-rep", "f.nsys-rep", "g.db"] {
            std::fs::write(at(name), "x").unwrap();
        }
        std::fs::write(at("f.sqlite"), "SQLite format 3\0").unwrap();
        std::fs::write(at("h.ncu-repz"), "x").unwrap();
        std::fs::write(at("i.log"), "the program's own line\n==PROF== Connected to process 1\n").unwrap();
        // What `eaves profile` leaves next to the files of a profiler.
        std::fs::write(at("ncu.log"), "$ ncu --csv ./program\n==PROF== Connected to process 1\n").unwrap();
        let found = expand(&[directory.path().to_owned()], Wanted::Recordings).unwrap();
        let expected: Vec<_> = [
            "a.json.gz",
            "b.json",
            "d.csv",
            "e.nsys-rep",
            "f.sqlite",
            "h.ncu-repz",
            "i.log",
            "inner/c.json.zst",
        ]
        .iter()
        .map(|name| Input::Found(at(name)))
        .collect();
        assert_eq!(found, expected);
        assert_eq!(expand(&[at("*.txt")], Wanted::Recordings).unwrap(), [Input::Found(at("notes.txt"))]);
        assert_eq!(expand(&[PathBuf::from("-")], Wanted::Recordings).unwrap(), [Input::Stdin]);
        assert!(matches!(expand(&[at("absent.json")], Wanted::Recordings), Err(Error::NotFound { .. })));
        std::fs::remove_file(at("inner/c.json.zst")).unwrap();
        assert!(matches!(
            expand(&[at("inner")], Wanted::Recordings),
            Err(Error::NothingThere { count: 0, .. })
        ));
    }

    #[test]
    fn what_rocprof_keeps_counts_only_without_its_tables() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        let (raw, table) = (at("data/rpl_data_1/input0_results_1/results.txt"), at("results.csv"));
        std::fs::create_dir_all(raw.parent().unwrap()).unwrap();
        std::fs::write(&raw, "dispatch[0], gpu-id(4), queue-id(0), queue-index(0), pid(1)\n").unwrap();
        let found = || expand(&[directory.path().to_owned()], Wanted::Recordings).unwrap();
        assert_eq!(found(), [Input::Found(raw.clone())]);
        std::fs::write(&table, "Index,KernelName,gpu-id,grd,wgr\n").unwrap();
        assert_eq!(found(), [Input::Found(table.clone())]);
    }

    /// A report that was recorded again since its database was made is another run.
    #[test]
    fn an_export_that_is_older_than_its_report_is_passed_over() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("f.nsys-rep"), "x").unwrap();
        std::fs::write(at("f.sqlite"), "SQLite format 3\0").unwrap();
        let changed = |seconds| {
            let time = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(seconds);
            File::options().append(true).open(at("f.sqlite")).unwrap().set_modified(time).unwrap();
            expand(&[directory.path().to_owned()], Wanted::Recordings).unwrap()
        };
        assert_eq!(changed(1_000), [Input::Found(at("f.nsys-rep"))]);
        assert_eq!(changed(1 << 40), [Input::Found(at("f.sqlite"))]);
    }
}
