//! Texts with escapes.

/// A JSON string body without its escapes, and whether all of it was sound. Bad escapes are kept as written, a
/// lone surrogate becomes U+FFFD, bytes that are not UTF-8 are passed on as they are.
pub(crate) fn unescape(body: &[u8]) -> (Vec<u8>, bool) {
    let mut text = Vec::with_capacity(body.len());
    let mut sound = true;
    let mut rest = body;
    while let Some(at) = memchr::memchr(b'\\', rest) {
        text.extend_from_slice(&rest[..at]);
        rest = &rest[at..];
        let (escape, length) = match rest.get(1) {
            Some(b'"') => (Some('"'), 2),
            Some(b'\\') => (Some('\\'), 2),
            Some(b'/') => (Some('/'), 2),
            Some(b'b') => (Some('\u{8}'), 2),
            Some(b'f') => (Some('\u{c}'), 2),
            Some(b'n') => (Some('\n'), 2),
            Some(b'r') => (Some('\r'), 2),
            Some(b't') => (Some('\t'), 2),
            Some(b'u') => unicode(rest),
            _ => (None, 1),
        };
        match escape {
            Some(character) => {
                sound &= character != char::REPLACEMENT_CHARACTER;
                text.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            }
            None => {
                sound = false;
                text.extend_from_slice(&rest[..length]);
            }
        }
        rest = &rest[length..];
    }
    text.extend_from_slice(rest);
    (text, sound)
}

/// `\uXXXX`, or two of them for a surrogate pair.
fn unicode(rest: &[u8]) -> (Option<char>, usize) {
    let Some(first) = hexadecimal(rest) else { return (None, 1) };
    if let Some(character) = char::from_u32(first) {
        return (Some(character), 6);
    }
    let second = rest.get(6..).filter(|tail| tail.starts_with(b"\\u")).and_then(hexadecimal);
    match second {
        Some(low) if first < 0xDC00 && (0xDC00..0xE000).contains(&low) => {
            let code = 0x10000 + ((first - 0xD800) << 10) + (low - 0xDC00);
            (char::from_u32(code), 12)
        }
        _ => (Some(char::REPLACEMENT_CHARACTER), 6),
    }
}

fn hexadecimal(escape: &[u8]) -> Option<u32> {
    let digits = escape.get(2..6).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit))?;
    u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn damaged_escapes_are_kept_and_said() {
        assert_eq!(unescape(br"a\qb"), (br"a\qb".to_vec(), false));
        assert_eq!(unescape(br"C:\U"), (br"C:\U".to_vec(), false));
        assert_eq!(unescape(br"\u12"), (br"\u12".to_vec(), false));
        assert_eq!(unescape(br"x\"), (br"x\".to_vec(), false));
        assert_eq!(unescape(br"\ud800!"), ("\u{fffd}!".as_bytes().to_vec(), false));
        assert_eq!(unescape(br"\ud800\ud800"), ("\u{fffd}\u{fffd}".as_bytes().to_vec(), false));
    }

    proptest! {
        #[test]
        fn undoes_what_serde_json_writes(text in any::<String>()) {
            let quoted = serde_json::to_string(&text).unwrap();
            let (body, sound) = unescape(&quoted.as_bytes()[1..quoted.len() - 1]);
            prop_assert_eq!(sound, !text.contains('\u{fffd}') || !quoted.contains("\\ufffd"));
            prop_assert_eq!(String::from_utf8(body).unwrap(), text);
        }

        #[test]
        fn surrogate_pairs(character in any::<char>()) {
            let mut units = [0; 2];
            let escaped: String =
                character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")).collect();
            let (body, _) = unescape(escaped.as_bytes());
            prop_assert_eq!(String::from_utf8(body).unwrap(), character.to_string());
        }
    }
}
