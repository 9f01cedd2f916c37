//! The README as PyPI and the archive show it, where no file of the project is next to it.

/// Makes relative links absolute: pictures lead to the bytes, everything else to the page that shows a file.
pub(super) fn absolute(readme: &str, repository: &str, version: &str) -> String {
    let raw = repository.replacen("https://github.com/", "https://raw.githubusercontent.com/", 1);
    let mut text = String::with_capacity(readme.len());
    let mut rest = readme;
    while let Some(at) = rest.find("](") {
        let (before, after) = rest.split_at(at + "](".len());
        text.push_str(before);
        let end = after.find(')').unwrap_or(after.len());
        let target = &after[..end];
        if is_relative(target) {
            let label = before.rfind('[').unwrap_or_default();
            let is_picture = before[..label].ends_with('!');
            let base = if is_picture {
                format!("{raw}/v{version}")
            } else {
                format!("{repository}/blob/v{version}")
            };
            text.push_str(&base);
            text.push('/');
        }
        text.push_str(target);
        rest = &after[end..];
    }
    text.push_str(rest);
    text
}

fn is_relative(target: &str) -> bool {
    !target.is_empty()
        && !target.contains("://")
        && !target.starts_with(['#', '/'])
        && !target.starts_with("mailto:")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_links_become_absolute() {
        let readme = "![A page](docs/p.png) and [one](docs/a.md#b), [two](https://example.org/x), [three](#here).\n\
                      | [four](LICENSE-MIT) |";
        assert_eq!(
            absolute(readme, "https://github.com/o/p", "1.2.3"),
            "![A page](https://raw.githubusercontent.com/o/p/v1.2.3/docs/p.png) and \
             [one](https://github.com/o/p/blob/v1.2.3/docs/a.md#b), [two](https://example.org/x), [three](#here).\n\
             | [four](https://github.com/o/p/blob/v1.2.3/LICENSE-MIT) |"
        );
    }

    #[test]
    fn the_readme_has_no_relative_link_left() {
        let readme = std::fs::read_to_string(crate::project::root().join("README.md")).unwrap();
        let text = absolute(&readme, "https://github.com/o/p", "1.2.3");
        for target in text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            assert!(target.starts_with("https://") || target.starts_with('#'), "{target}");
        }
    }
}
