//! What a job tells in its log: lines for people, and its answer as lines that only programs read.
//!
//! The log is what every cluster gives to whoever may submit jobs, whatever its file systems are. An answer is packed with gzip,
//! whose checksum tells whether all of it arrived, and then text: `eaves-answer:TOKEN:BASE64`, and at the end
//! `eaves-answer:TOKEN:end:LINES`.

use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::read::GzDecoder;

const MARK: &str = "eaves-answer:";

/// The log of a job as far as it is known.
#[derive(Debug, Default)]
pub(super) struct Log {
    /// Bytes of it that were shown.
    shown: usize,
}

impl Log {
    /// The whole lines for people that are new in a log, which only grows.
    pub(super) fn news<'l>(&mut self, log: &'l str) -> Vec<&'l str> {
        let new = log.get(self.shown..).unwrap_or_default();
        let end = new.rfind('\n').map_or(0, |at| at + 1);
        self.shown += end;
        new[..end].lines().filter(|line| !line.starts_with(MARK)).collect()
    }
}

/// The last line that says what is wrong.
pub(super) fn error(log: &str) -> Option<&str> {
    log.lines().rev().find_map(|line| line.strip_prefix("error: "))
}

/// The answer in a log, if all of it is there; what is wrong with it if it is damaged.
pub(super) fn answer(log: &str, token: &str) -> Option<Result<Vec<u8>, String>> {
    let mark = format!("{MARK}{token}:");
    let mut packed = Vec::new();
    let mut lines = 0_usize;
    for line in log.lines() {
        let Some(rest) = line.strip_prefix(&mark) else { continue };
        if let Some(count) = rest.strip_prefix("end:") {
            if count.trim().parse() != Ok(lines) {
                return Some(Err(format!("{lines} of {} lines arrived", count.trim())));
            }
            let mut answer = Vec::new();
            let unpacked = GzDecoder::new(packed.as_slice()).read_to_end(&mut answer);
            return Some(unpacked.map(|_| answer).map_err(|error| error.to_string()));
        }
        match STANDARD.decode(rest.trim_end()) {
            Ok(bytes) => packed.extend(bytes),
            Err(error) => return Some(Err(error.to_string())),
        }
        lines += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn logged(content: &[u8], token: &str) -> String {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packer.write_all(content).unwrap();
        let packed = packer.finish().unwrap();
        let lines: Vec<String> =
            packed.chunks(30).map(|part| format!("{MARK}{token}:{}", STANDARD.encode(part))).collect();
        format!("{}\n{MARK}{token}:end:{}\n", lines.join("\nsomebody else\n"), lines.len())
    }

    #[test]
    fn an_answer_comes_through_whole_or_not_at_all() {
        let content: Vec<u8> = (0..10_000_u32).flat_map(|number| (number * number).to_le_bytes()).collect();
        let log = format!("measured 1 of 2 ranks\n{}", logged(&content, "7"));
        assert_eq!(answer(&log, "7"), Some(Ok(content)));
        assert_eq!(answer(&log, "8"), None);
        let end = log.rfind(MARK).unwrap();
        assert_eq!(answer(&log[..end], "7"), None);
        // A line is gone, or has other letters.
        let lines: Vec<&str> = log.lines().collect();
        let without = [&lines[..3], &lines[4..]].concat().join("\n");
        assert!(matches!(answer(&without, "7"), Some(Err(_))));
        let changed = log.replacen("A", "B", 3);
        assert!(matches!(answer(&changed, "7"), Some(Err(_))));
        assert!(matches!(answer("eaves-answer:7:*\n", "7"), Some(Err(_))));
    }

    #[test]
    fn people_see_each_whole_line_once() {
        let mut log = Log::default();
        assert_eq!(log.news("one\ntw"), ["one"]);
        assert_eq!(log.news("one\ntwo\neaves-answer:7:AAAA\n"), ["two"]);
        assert!(log.news("one\ntwo\neaves-answer:7:AAAA\n").is_empty());
        // A log that was emptied meanwhile, or cut within a letter.
        assert!(log.news("é").is_empty());
        assert_eq!(error("a\nerror: no such file\nb\n"), Some("no such file"));
    }
}
