//! The command line of a task. Too few options for a parser of arguments.

use anyhow::{Result, bail};

/// What was typed and not yet taken.
#[derive(Clone, Debug)]
pub(crate) struct Options {
    rest: Vec<String>,
}

impl Options {
    pub(crate) fn new(arguments: impl IntoIterator<Item = String>) -> Self {
        Self { rest: arguments.into_iter().collect() }
    }

    /// Takes the first argument that is not an option. Call it before [`Self::value`] only if it comes first.
    pub(crate) fn positional(&mut self) -> Option<String> {
        let first = self.rest.first().is_some_and(|argument| !argument.starts_with('-'));
        first.then(|| self.rest.remove(0))
    }

    /// Takes an option without a value.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let position = self.rest.iter().position(|argument| argument == name);
        position.map(|position| self.rest.remove(position)).is_some()
    }

    /// Takes an option with a value.
    pub(crate) fn value(&mut self, name: &str) -> Result<Option<String>> {
        let Some(position) = self.rest.iter().position(|argument| argument == name) else { return Ok(None) };
        self.rest.remove(position);
        if position == self.rest.len() {
            bail!("`{name}` needs a value");
        }
        Ok(Some(self.rest.remove(position)))
    }

    /// Fails if anything is left.
    pub(crate) fn finish(self) -> Result<()> {
        match self.rest.first() {
            None => Ok(()),
            Some(argument) => bail!("unexpected argument `{argument}`"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_in_any_order() {
        let mut options = Options::new(["big", "--size", "5MB", "--fast"].map(String::from));
        assert_eq!(options.positional().as_deref(), Some("big"));
        assert!(options.flag("--fast"));
        assert_eq!(options.value("--size").unwrap().as_deref(), Some("5MB"));
        assert!(options.clone().finish().is_ok());
        assert!(Options::new(["-o".to_owned()]).value("-o").is_err());
        assert!(Options::new(["what".to_owned()]).finish().is_err());
    }
}
