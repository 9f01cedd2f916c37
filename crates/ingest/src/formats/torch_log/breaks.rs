//! The text in which PyTorch reports a graph break.

/// A graph break as it was told. Texts are PyTorch's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) kind: Option<u32>,
    pub(super) title: String,
    pub(super) explanation: String,
    pub(super) hints: Vec<String>,
    pub(super) context: String,
    /// File, line and function, outermost first.
    pub(super) stack: Vec<(String, u32, String)>,
    /// The line of code that the last frame shows.
    pub(super) code: String,
}

/// The longest text that is kept of each part, and the most hints and frames: reports are texts for people.
const LONGEST: usize = 4 << 10;
const MOST: usize = 64;

/// Which part of the report a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Reason,
    Explanation,
    Hint,
    Stack,
    Other,
}

const PLACE: &str = "Graph break in user code at ";
const PLACE_OF_OLD: &str = "Graph break: ";

/// Reads the report, line by line.
pub(super) fn parse<'a>(lines: impl Iterator<Item = &'a str>) -> Told {
    let mut told = Told::default();
    let mut part = Part::Other;
    for line in lines {
        let content = line.trim();
        if let Some(place) = content.strip_prefix(PLACE) {
            (told.file, told.line) = place_of(place);
        } else if let Some(reason) =
            content.strip_prefix("Graph Break Reason: ").or_else(|| content.strip_prefix("Reason: "))
        {
            told.title = cut(reason);
            part = Part::Reason;
        } else if let Some(text) = content.strip_prefix("Explanation: ") {
            told.explanation = cut(text);
            part = Part::Explanation;
        } else if let Some(text) = content.strip_prefix("Hint: ") {
            if told.hints.len() < MOST {
                told.hints.push(cut(text));
            }
            part = Part::Hint;
        } else if let Some(text) = content.strip_prefix("Developer debug context: ") {
            told.context = cut(text);
            part = Part::Other;
        } else if content.starts_with("For more details about this graph break") {
            told.kind = kind_of(content);
            part = Part::Other;
        } else if content == "User code traceback:" || content == "from user code:" {
            part = Part::Stack;
        } else if content.starts_with("Traceback (most recent call last)") {
            // PyTorch's own stack, at whose end all of it is said once more.
            break;
        } else if content == "User Stack:"
            || content == "NoneType: None"
            || content.starts_with("Stack variable source attribution")
        {
            part = Part::Other;
        } else if !content.is_empty() {
            further(&mut told, part, content);
        }
    }
    told
}

/// Reads the text of a refusal: of a function that must not have graph breaks (`fullgraph=True`), or of a frame that is left
/// to Python. Nothing if it is a failure of another kind, which has no such text.
pub(super) fn refusal<'a>(mut lines: impl Iterator<Item = &'a str>) -> Option<Told> {
    let title = cut(lines.next()?);
    let told = parse(lines);
    let is_break = told.kind.is_some() || !told.explanation.is_empty();
    is_break.then_some(Told { title, ..told })
}

/// A line that continues a part.
fn further(told: &mut Told, part: Part, content: &str) {
    match part {
        // "Encountered graph break when attempting to trace CALL:", then what it really is.
        Part::Reason => told.title = cut(content),
        Part::Explanation => append(&mut told.explanation, content),
        Part::Hint => {
            if let Some(hint) = told.hints.last_mut() {
                append(hint, content);
            }
        }
        Part::Stack => match frame_of(content) {
            Some(frame) if told.stack.len() < MOST => {
                told.stack.push(frame);
                told.code.clear();
            }
            Some(_) => {}
            // Marks below the code point at a part of it.
            None if told.code.is_empty() && !content.starts_with(['^', '~']) => told.code = cut(content),
            None => {}
        },
        Part::Other => {}
    }
}

fn append(text: &mut String, more: &str) {
    if text.len() < LONGEST {
        text.push('\n');
        text.push_str(&cut(more));
    }
}

fn cut(text: &str) -> String {
    let mut end = text.len().min(LONGEST);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    text[..end].trim_end().to_owned()
}

/// `/srv/comp.py:12`
pub(super) fn place_of(text: &str) -> (String, u32) {
    match text.rsplit_once(':').and_then(|(file, line)| Some((file, line.trim().parse().ok()?))) {
        Some((file, line)) => (cut(file), line),
        None => (cut(text), 0),
    }
}

/// `gb0059` in the address of PyTorch's page.
fn kind_of(text: &str) -> Option<u32> {
    let (_, rest) = text.rsplit_once("/gb")?;
    let digits = rest.find(|letter: char| !letter.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

/// `File "/srv/comp.py", line 12, in with_breaks`
pub(super) fn frame_of(content: &str) -> Option<(String, u32, String)> {
    let (file, rest) = content.strip_prefix("File \"")?.split_once("\", line ")?;
    let (line, function) = rest.split_once(", in ").unwrap_or((rest, ""));
    Some((cut(file), line.trim().parse().ok()?, cut(function)))
}

/// True for the first line of a report.
pub(super) fn begins(content: &str) -> bool {
    content.starts_with(PLACE) || content.starts_with(PLACE_OF_OLD)
}
