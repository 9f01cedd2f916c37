//! Files that clients send: into their own folder, under names that lead nowhere else, within a bound, packed and
//! unpacked.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use axum::extract::Multipart;
use axum::http::StatusCode;
use eaves_store::staging::TemporaryDirectory;

use crate::Problem;

/// How long a client may be silent in the middle.
const SILENCE: Duration = Duration::from_secs(30);
/// How much larger than the bound of uploads their content may be.
const UNPACKED: u64 = 4;
/// Files at once.
const MOST_FILES: usize = 1_000;

/// Receives everything, or nothing stays.
pub(super) async fn receive(mut parts: Multipart, limit: u64) -> Result<TemporaryDirectory, Problem> {
    let failed = |error: std::io::Error| Problem::internal(format!("cannot store the upload: {error}"));
    let slow = |_| Problem::new(StatusCode::REQUEST_TIMEOUT, "the upload was interrupted");
    let folder = TemporaryDirectory::create("eaves-upload-").map_err(failed)?;
    let (mut received, mut files) = (0u64, 0);
    while let Some(mut part) = tokio::time::timeout(SILENCE, parts.next_field())
        .await
        .map_err(slow)?
        .map_err(|error| Problem::bad(error.body_text()))?
    {
        let Some(name) = part.file_name().map(safe_name) else { continue };
        files += 1;
        if files > MOST_FILES {
            return Err(Problem::bad(format!("more than {MOST_FILES} files")));
        }
        let wanted = folder.path().join(&name);
        let path = if wanted.exists() { folder.path().join(format!("{files:04}-{name}")) } else { wanted };
        let mut file = File::create_new(&path).map_err(failed)?;
        while let Some(chunk) = tokio::time::timeout(SILENCE, part.chunk())
            .await
            .map_err(slow)?
            .map_err(|error| Problem::bad(error.body_text()))?
        {
            received += chunk.len() as u64;
            if received > limit {
                return Err(Problem::new(
                    StatusCode::PAYLOAD_TOO_LARGE,
                    format!("the upload limit is {limit} bytes"),
                )
                .hint("start the server with a larger --upload-limit, or open the path instead"));
            }
            file.write_all(&chunk).map_err(failed)?;
        }
        drop(file);
        check_unpacked(&path, limit.saturating_mul(UNPACKED)).await?;
    }
    if files == 0 {
        return Err(Problem::bad("no file was uploaded").hint("send `multipart/form-data` with a file in it"));
    }
    Ok(folder)
}

/// What was received, to be read: a file by itself, several as the folder they are in.
pub(super) fn inputs(folder: &TemporaryDirectory) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder.path()).into_iter().flatten().flatten();
    let files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    if files.len() == 1 { files } else { vec![folder.path().to_owned()] }
}

/// The last part of a name, with letters that mean nothing to any system.
fn safe_name(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or("");
    let kept =
        |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '_' };
    let name: String = last.chars().map(kept).take(120).collect();
    // `..` and hidden files begin with a dot.
    let name = name.trim_start_matches('.');
    if name.is_empty() { "file".to_owned() } else { name.to_owned() }
}

/// Checks that what is packed does not unpack to more than that. A bomb costs time here, and no memory.
async fn check_unpacked(path: &Path, limit: u64) -> Result<(), Problem> {
    let path = path.to_owned();
    let checked = tokio::task::spawn_blocking(move || unpacks_to_more(&path, limit));
    match checked.await {
        Ok(Ok(false)) => Ok(()),
        Ok(Ok(true)) => Err(Problem::new(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("it decompresses to more than {limit} bytes"),
        )
        .hint("open the path instead of uploading it")),
        // A damaged file is for the reader to tell about.
        Ok(Err(_)) => Ok(()),
        Err(_) => Err(Problem::internal("cannot inspect the upload")),
    }
}

fn unpacks_to_more(path: &Path, limit: u64) -> std::io::Result<bool> {
    let mut magic = [0u8; 4];
    let count = File::open(path)?.read(&mut magic)?;
    let file = std::io::BufReader::new(File::open(path)?);
    Ok(match &magic[..count] {
        [0x1f, 0x8b, ..] => exceeds(flate2::bufread::MultiGzDecoder::new(file), limit),
        [b'P', b'K', 3, 4] => zip_exceeds(file, limit)?,
        [0x28, 0xb5, 0x2f, 0xfd] => match ruzstd::decoding::StreamingDecoder::new(file) {
            Ok(decoder) => exceeds(decoder, limit),
            Err(_) => false,
        },
        _ => false,
    })
}

/// Reads until the end or until it is too much.
fn exceeds(reader: impl Read, limit: u64) -> bool {
    let copied = std::io::copy(&mut reader.take(limit.saturating_add(1)), &mut std::io::sink());
    copied.is_ok_and(|count| count > limit)
}

/// What is inside, whatever the archive says of it.
fn zip_exceeds(file: impl Read + std::io::Seek, limit: u64) -> std::io::Result<bool> {
    let mut archive = zip::ZipArchive::new(file)?;
    let mut left = limit;
    for at in 0..archive.len() {
        let Ok(member) = archive.by_index(at) else { continue };
        let read = std::io::copy(&mut member.take(left.saturating_add(1)), &mut std::io::sink()).unwrap_or(0);
        match left.checked_sub(read) {
            Some(rest) => left = rest,
            None => return Ok(true),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_nowhere() {
        for (name, safe) in [
            ("trace.json", "trace.json"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\a b.json", "a_b.json"),
            ("..", "file"),
            ("", "file"),
            (".hidden", "hidden"),
            ("a\0b/ü.gz", "_.gz"),
        ] {
            assert_eq!(safe_name(name), safe);
        }
        assert_eq!(safe_name(&"x".repeat(9_999)).len(), 120);
    }

    #[test]
    fn bombs_are_seen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bomb.gz");
        let mut encoder =
            flate2::write::GzEncoder::new(File::create(&path).unwrap(), flate2::Compression::best());
        for _ in 0..100 {
            encoder.write_all(&[b' '; 100_000]).unwrap();
        }
        encoder.finish().unwrap();
        assert!(path.metadata().unwrap().len() < 100_000);
        assert!(unpacks_to_more(&path, 9_999_999).unwrap());
        assert!(!unpacks_to_more(&path, 10_000_000).unwrap());
        // What is not an archive is as large as it is.
        std::fs::write(&path, "{}").unwrap();
        assert!(!unpacks_to_more(&path, 1).unwrap());
    }
}
