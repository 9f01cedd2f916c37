//! What Kineto sends and expects: `u64 size | char kind[32] | body`, all in the byte order of the machine.

/// The length of what comes before the body.
const HEADER: usize = 40;
/// More than any message has. Longer ones are cut by the receiver and then do not have the size they claim.
pub const LONGEST: usize = 16 * 1024;
/// The bit of a request that says that the process is ready to record activities.
const ACTIVITIES: i32 = 2;

/// A message of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// A process says that it is there.
    Hello {
        /// Its number.
        process: i32,
    },
    /// A process asks whether there is something to do.
    Poll {
        /// Its number.
        process: i32,
        /// Those that it was started by, the nearest first.
        ancestors: Vec<i32>,
        /// True if it is ready to record.
        ready: bool,
    },
}

/// Why bytes are not a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Malformed {
    /// There is less, or more, than the message says.
    #[error("a message of the wrong size")]
    Size,
    /// A kind that is not known.
    #[error("a message of an unknown kind")]
    Kind,
    /// Numbers of processes that cannot be.
    #[error("a message with impossible numbers of processes")]
    Processes,
}

/// Reads a message.
pub fn parse(bytes: &[u8]) -> Result<Message, Malformed> {
    let (header, body) = bytes.split_at_checked(HEADER).ok_or(Malformed::Size)?;
    let (size, kind) = header.split_first_chunk().ok_or(Malformed::Size)?;
    if usize::try_from(u64::from_ne_bytes(*size)) != Ok(body.len()) {
        return Err(Malformed::Size);
    }
    let end = kind.iter().position(|byte| *byte == 0).unwrap_or(kind.len());
    match &kind[..end] {
        // { i32 device, i32 process, i64 job }
        b"ctxt" => {
            let process = number(body, 4).ok_or(Malformed::Size)?;
            if body.len() != 16 {
                return Err(Malformed::Size);
            }
            possible(process).map(|process| Message::Hello { process })
        }
        // { i32 kind, i32 count, i64 job, i32 processes[count] }
        b"req" => poll(body),
        _ => Err(Malformed::Kind),
    }
}

fn poll(body: &[u8]) -> Result<Message, Malformed> {
    let kind = number(body, 0).ok_or(Malformed::Size)?;
    let count = number(body, 4).ok_or(Malformed::Size)?;
    let processes = body.get(16..).ok_or(Malformed::Size)?;
    let count = usize::try_from(count).map_err(|_| Malformed::Processes)?;
    if Some(processes.len()) != count.checked_mul(4) {
        return Err(Malformed::Size);
    }
    let mut processes =
        processes.chunks_exact(4).filter_map(|bytes| bytes.try_into().ok()).map(i32::from_ne_bytes);
    let process = possible(processes.next().ok_or(Malformed::Processes)?)?;
    Ok(Message::Poll { process, ancestors: processes.collect(), ready: kind & ACTIVITIES != 0 })
}

fn number(bytes: &[u8], at: usize) -> Option<i32> {
    bytes.get(at..)?.first_chunk().map(|bytes| i32::from_ne_bytes(*bytes))
}

fn possible(process: i32) -> Result<i32, Malformed> {
    if process > 0 { Ok(process) } else { Err(Malformed::Processes) }
}

/// The answer to a process that says that it is there: the number of processes known, which nobody reads.
pub fn welcome() -> Vec<u8> {
    framed(b"ctxt", &1_i32.to_ne_bytes())
}

/// The answer to a process that asks: what to do, or nothing.
pub fn answer(config: &str) -> Vec<u8> {
    framed(b"req", config.as_bytes())
}

fn framed(kind: &[u8], body: &[u8]) -> Vec<u8> {
    let mut name = [0; 32];
    for (to, from) in name.iter_mut().zip(kind) {
        *to = *from;
    }
    [&(body.len() as u64).to_ne_bytes(), name.as_slice(), body].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(kind: i32, count: i32, processes: &[i32]) -> Vec<u8> {
        let mut body = [kind.to_ne_bytes(), count.to_ne_bytes()].concat();
        body.extend(7_i64.to_ne_bytes());
        body.extend(processes.iter().flat_map(|process| process.to_ne_bytes()));
        framed(b"req", &body)
    }

    #[test]
    fn messages_are_read() {
        let expected = Message::Poll { process: 12, ancestors: vec![11, 1], ready: true };
        assert_eq!(parse(&request(3, 3, &[12, 11, 1])), Ok(expected));
        let expected = Message::Poll { process: 12, ancestors: vec![], ready: false };
        assert_eq!(parse(&request(1, 1, &[12])), Ok(expected));
        let hello = framed(b"ctxt", &[0_i32.to_ne_bytes(), 5_i32.to_ne_bytes(), [0; 4], [0; 4]].concat());
        assert_eq!(parse(&hello), Ok(Message::Hello { process: 5 }));
    }

    #[test]
    fn what_is_no_message_is_refused() {
        let whole = request(3, 2, &[12, 1]);
        for length in 0..whole.len() {
            assert_eq!(parse(&whole[..length]), Err(Malformed::Size), "{length}");
        }
        assert_eq!(parse(&[whole.as_slice(), &[0]].concat()), Err(Malformed::Size));
        for (count, processes, expected) in [
            (3, [12, 1].as_slice(), Malformed::Size),
            (i32::MAX, &[12], Malformed::Size),
            (-1, &[12], Malformed::Processes),
            (0, &[], Malformed::Processes),
            (1, &[-12], Malformed::Processes),
        ] {
            assert_eq!(parse(&request(3, count, processes)), Err(expected), "{count}");
        }
        assert_eq!(parse(&framed(b"data", b"")), Err(Malformed::Kind));
    }

    #[test]
    fn an_answer_has_the_layout_that_kineto_reads() {
        // size_t size; char type[32]; then the text.
        let bytes = answer("A=1\n");
        assert_eq!(bytes.len(), 44);
        assert_eq!(bytes[..8], 4_u64.to_ne_bytes());
        assert_eq!(&bytes[8..12], b"req\0");
        assert_eq!(&bytes[40..], b"A=1\n");
    }
}
