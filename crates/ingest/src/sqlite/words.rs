//! The words of a `CREATE TABLE`.

/// A word.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Word {
    /// A keyword or a name without quotes.
    Plain(String),
    /// A name in quotes: `"a"`, `[a]` or `` `a` ``.
    Quoted(String),
    Number(String),
    /// A text in single quotes.
    Text(String),
    Blob(Vec<u8>),
    Sign(char),
}

impl Word {
    /// True if it is this keyword, upper or lower case.
    pub(super) fn is(&self, keyword: &str) -> bool {
        matches!(self, Self::Plain(word) if word.eq_ignore_ascii_case(keyword))
    }

    /// The word as a name.
    pub(super) fn name(&self) -> Option<&str> {
        match self {
            // SQLite takes texts for names where a name must be.
            Self::Plain(name) | Self::Quoted(name) | Self::Text(name) => Some(name),
            _ => None,
        }
    }

    /// True if a constraint of a column begins here.
    pub(super) fn begins_constraint(&self) -> bool {
        const ALL: [&str; 11] = [
            "AS",
            "CHECK",
            "COLLATE",
            "CONSTRAINT",
            "DEFAULT",
            "GENERATED",
            "NOT",
            "NULL",
            "PRIMARY",
            "REFERENCES",
            "UNIQUE",
        ];
        ALL.iter().any(|keyword| self.is(keyword))
    }
}

/// All words of a statement, without comments.
pub(super) fn words(sql: &str) -> Vec<Word> {
    let mut words = Vec::new();
    let mut rest = sql;
    while let Some(first) = rest.chars().next() {
        let (word, length) = if first.is_ascii_whitespace() {
            (None, 1)
        } else if rest.starts_with("--") {
            (None, rest.find('\n').unwrap_or(rest.len()))
        } else if let Some(comment) = rest.strip_prefix("/*") {
            (None, comment.find("*/").map_or(rest.len(), |end| end + 4))
        } else if let Some(end) = closing(first) {
            let (text, length) = quoted(rest, end);
            (Some(if first == '\'' { Word::Text(text) } else { Word::Quoted(text) }), length)
        } else if matches!(first, 'x' | 'X') && rest[1..].starts_with('\'') {
            let (digits, length) = quoted(&rest[1..], '\'');
            (Some(Word::Blob(bytes_of(&digits))), length + 1)
        } else if first.is_ascii_digit()
            || first == '.' && rest[1..].starts_with(|next: char| next.is_ascii_digit())
        {
            let length = number_length(rest);
            (Some(Word::Number(rest[..length].to_owned())), length)
        } else if is_name(first) {
            let length = rest.find(|next| !is_name(next)).unwrap_or(rest.len());
            (Some(Word::Plain(rest[..length].to_owned())), length)
        } else {
            (Some(Word::Sign(first)), first.len_utf8())
        };
        words.extend(word);
        rest = rest.get(length..).unwrap_or_default();
    }
    words
}

fn is_name(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '$') || !letter.is_ascii()
}

fn closing(first: char) -> Option<char> {
    match first {
        '"' | '\'' | '`' => Some(first),
        '[' => Some(']'),
        _ => None,
    }
}

/// What stands in quotes, in which a quote is written twice, and the length of all.
fn quoted(text: &str, end: char) -> (String, usize) {
    let mut content = String::new();
    let mut letters = text.char_indices().skip(1).peekable();
    while let Some((at, letter)) = letters.next() {
        if letter != end {
            content.push(letter);
        } else if end != ']' && letters.peek().is_some_and(|(_, next)| *next == end) {
            content.push(letter);
            letters.next();
        } else {
            return (content, at + 1);
        }
    }
    (content, text.len())
}

fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    let is_hexadecimal = text.len() > 1 && bytes[1].eq_ignore_ascii_case(&b'x');
    let mut length = 0;
    while let Some(&byte) = bytes.get(length) {
        let is_sign_of_exponent = !is_hexadecimal
            && matches!(byte, b'+' | b'-')
            && length > 0
            && bytes[length - 1].eq_ignore_ascii_case(&b'e');
        if !(byte.is_ascii_alphanumeric() || byte == b'.' || is_sign_of_exponent) {
            break;
        }
        length += 1;
    }
    length
}

fn bytes_of(digits: &str) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or(0) as u8;
    digits.as_bytes().as_chunks::<2>().0.iter().map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}
