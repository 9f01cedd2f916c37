//! Tells lines of the profiler from those of the program in a stream that has both.
//!
//! Bytes of the program go on at once and unchanged; only a line that may yet turn out to be the profiler's is held
//! back until it does or does not.

/// Splits a stream of bytes.
#[derive(Debug)]
pub(crate) struct Splitter {
    patterns: Vec<&'static str>,
    /// The beginning of a line that may be the profiler's.
    held: Vec<u8>,
    /// True if the line has gone to the program already, so that the rest of it does too.
    passing: bool,
    /// True if a line of the profiler ended in a carriage return, which a line feed may belong to.
    returned: bool,
}

/// A piece of the stream.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Piece<'a> {
    /// Bytes of the program.
    Program(&'a [u8]),
    /// A line of the profiler, without its end.
    Profiler(&'a [u8]),
}

/// Longer lines are the program's: no profiler writes such, and what is held must have an end.
const LONGEST_HELD: usize = 64 * 1024;

impl Splitter {
    pub(crate) fn new(patterns: impl IntoIterator<Item = &'static str>) -> Self {
        Self { patterns: patterns.into_iter().collect(), held: Vec::new(), passing: false, returned: false }
    }

    /// Takes the next bytes of the stream apart.
    pub(crate) fn push(&mut self, bytes: &[u8], mut take: impl FnMut(Piece<'_>)) {
        let mut rest = match bytes {
            [b'\n', rest @ ..] if self.returned => rest,
            all => all,
        };
        while !rest.is_empty() {
            let end = rest.iter().position(|byte| matches!(byte, b'\n' | b'\r')).map(|at| at + 1);
            let (line, after) = rest.split_at(end.unwrap_or(rest.len()));
            rest = after;
            self.returned = false;
            if self.passing {
                take(Piece::Program(line));
            } else {
                self.held.extend_from_slice(line);
                self.decide(end.is_some(), &mut take);
            }
            self.passing = self.passing && end.is_none();
            if let ([b'\n', after @ ..], true) = (rest, self.returned) {
                rest = after;
                self.returned = false;
            }
        }
    }

    /// The stream is at its end.
    pub(crate) fn finish(&mut self, mut take: impl FnMut(Piece<'_>)) {
        self.decide(true, &mut take);
    }

    fn decide(&mut self, whole: bool, take: &mut impl FnMut(Piece<'_>)) {
        let line = self.held.strip_suffix(b"\n").unwrap_or(&self.held);
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if whole && self.patterns.iter().any(|pattern| matches(pattern.as_bytes(), line)) {
            take(Piece::Profiler(line));
            self.returned = self.held.ends_with(b"\r");
            self.held.clear();
            return;
        }
        let possible = |pattern: &&'static str| may_begin(pattern.as_bytes(), line);
        if !whole && self.held.len() < LONGEST_HELD && self.patterns.iter().any(possible) {
            return;
        }
        if !self.held.is_empty() {
            take(Piece::Program(&self.held));
        }
        self.held.clear();
        self.passing = !whole;
    }
}

/// True if the line is of the pattern, in which `*` stands for anything and `#` for a number.
pub(crate) fn matches(pattern: &[u8], line: &[u8]) -> bool {
    match pattern.split_first() {
        None => line.is_empty(),
        Some((b'*', rest)) => rest.is_empty() || (0..=line.len()).any(|from| matches(rest, &line[from..])),
        Some((b'#', rest)) => {
            let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && matches(rest, &line[digits..])
        }
        Some((letter, rest)) => {
            line.split_first().is_some_and(|(first, line)| first == letter && matches(rest, line))
        }
    }
}

/// True if a line of the pattern may begin like this.
fn may_begin(pattern: &[u8], begin: &[u8]) -> bool {
    match (pattern.split_first(), begin.split_first()) {
        (_, None) => true,
        (None, Some(_)) => false,
        (Some((b'*', _)), _) => true,
        (Some((b'#', rest)), _) => {
            let digits = begin.iter().take_while(|byte| byte.is_ascii_digit()).count();
            digits > 0 && may_begin(rest, &begin[digits..])
        }
        (Some((letter, rest)), Some((first, begin))) => letter == first && may_begin(rest, begin),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATTERNS: [&str; 4] =
        ["RPL: *", "scan * data #:#*", "  # metrics", "\u{1b}[0;31mWARNING: We are phasing out*"];

    fn split(chunks: &[&[u8]]) -> (Vec<u8>, Vec<String>) {
        let (mut program, mut profiler) = (Vec::new(), Vec::new());
        let mut splitter = Splitter::new(PATTERNS);
        let mut take = |piece: Piece<'_>| match piece {
            Piece::Program(bytes) => program.extend_from_slice(bytes),
            Piece::Profiler(line) => profiler.push(String::from_utf8_lossy(line).into_owned()),
        };
        for chunk in chunks {
            splitter.push(chunk, &mut take);
        }
        splitter.finish(&mut take);
        (program, profiler)
    }

    #[test]
    fn lines_of_the_profiler_are_taken_out_wherever_the_stream_is_cut() {
        let stream: &[u8] =
            b"RPL: on '1'\nhello\n  13 metrics\n  13 metric\nRPL without colon\nscan hip API data 3:4\rscan \
the data\n\nRPL: x\r\nno end";
        let expected: &[u8] = b"hello\n  13 metric\nRPL without colon\nscan the data\n\nno end";
        let whole = split(&[stream]);
        assert_eq!(String::from_utf8_lossy(&whole.0), String::from_utf8_lossy(expected));
        assert_eq!(whole.1, ["RPL: on '1'", "  13 metrics", "scan hip API data 3:4", "RPL: x"]);
        for at in 0..stream.len() {
            assert_eq!(split(&[&stream[..at], &stream[at..]]), whole, "{at}");
        }
    }

    #[test]
    fn bytes_of_the_program_do_not_wait_for_the_end_of_the_line() {
        let mut splitter = Splitter::new(PATTERNS);
        let mut seen = Vec::new();
        splitter.push(b"Enter a number: ", |piece| seen.push(format!("{piece:?}")));
        assert_eq!(seen.len(), 1);
        splitter.push(b"R", |piece| seen.push(format!("{piece:?}")));
        assert_eq!(seen.len(), 2, "the line had begun already");
    }

    #[test]
    fn without_patterns_everything_is_the_programs() {
        let bytes: Vec<u8> = (0..=255).collect();
        let mut out = Vec::new();
        Splitter::new([]).push(&bytes, |piece| {
            if let Piece::Program(bytes) = piece {
                out.extend_from_slice(bytes);
            }
        });
        assert_eq!(out, bytes);
    }

    #[test]
    fn a_line_without_end_is_not_held_for_ever() {
        let line = [b"RPL: ".as_slice(), &[b'x'; LONGEST_HELD]].concat();
        let mut splitter = Splitter::new(PATTERNS);
        let mut bytes = 0;
        splitter.push(&line, |piece| {
            if let Piece::Program(part) = piece {
                bytes += part.len();
            }
        });
        assert_eq!(bytes, line.len());
    }
}
