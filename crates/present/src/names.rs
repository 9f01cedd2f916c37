//! Long names made short: kernels with their templates, frames with their paths.
//!
//! A kernel name says little at its ends (`void at::native::`, the argument list) and much in between (the
//! functor). So what is noise goes first, and only then is the middle cut. Names that would look the same
//! afterwards are cut around the place where they differ.

use std::collections::BTreeMap;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

const ELLIPSIS: char = '…';

/// The names of one column, none wider than `width`, different ones different.
pub fn shorten_all(names: &[&str], width: usize) -> Vec<String> {
    let mut short: Vec<String> = names.iter().map(|name| shorten(name, width)).collect();
    let everything: Vec<usize> = (0..names.len()).collect();
    let mut open = groups_alike(names, &everything, &short);
    while let Some(group) = open.pop() {
        tell_apart(names, &group, width, &mut short);
        for alike in groups_alike(names, &group, &short) {
            // A smaller group differs at another place; a group that stayed whole differs nowhere in reach.
            if alike.len() < group.len() {
                open.push(alike);
            } else {
                number(names, &alike, width, &mut short);
            }
        }
    }
    // What was distinguished in one group may now look like a name of another.
    for alike in groups_alike(names, &everything, &short) {
        number(names, &alike, width, &mut short);
    }
    short
}

/// The groups of different names that look the same, each in order.
fn groups_alike(names: &[&str], among: &[usize], short: &[String]) -> Vec<Vec<usize>> {
    let mut groups: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for &index in among {
        groups.entry(&short[index]).or_default().push(index);
    }
    groups.into_values().filter(|group| group.iter().any(|&index| names[index] != names[group[0]])).collect()
}

/// One name, not wider than `width`.
pub fn shorten(name: &str, width: usize) -> String {
    if name.width() <= width {
        return name.to_owned();
    }
    if !is_cpp(name) {
        return shorten_tensile(name, width).unwrap_or_else(|| cut_middle(name, width, 1, 2));
    }
    let without_calls = without_calls(name);
    if without_calls.width() <= width {
        return without_calls;
    }
    let plain = without_namespaces(&without_calls);
    if plain.width() <= width {
        return plain;
    }
    match plain.find('<') {
        Some(start) if start > 0 => shorten_template(&plain[..start], &plain[start..], width),
        _ => cut_middle(&plain, width, 1, 2),
    }
}

/// Kernels of Tensile (`Cijk_Alik_Bljk_..._MT256x128x64_...`) are distinguished by their tile, which is in the middle.
fn shorten_tensile(name: &str, width: usize) -> Option<String> {
    let tile = &name[name.starts_with("Cijk_").then(|| name.find("_MT"))??..];
    let tile = &tile[..tile[1..].find('_').map_or(tile.len(), |end| end + 1)];
    let room = width.checked_sub(tile.width() + 1)?;
    Some(format!("{}{tile}{ELLIPSIS}", cut_end(name, room)))
}

/// The name of a template and its arguments in one width.
fn shorten_template(base: &str, arguments: &str, width: usize) -> String {
    let is_wrapper = WRAPPERS.iter().any(|wrapper| base.contains(wrapper)) || base.starts_with("Kernel");
    if !is_wrapper {
        let base = cut_middle(base, width, 1, 2);
        let room = width - base.width();
        return format!("{base}{}", cut_arguments(arguments, room));
    }
    let arguments = without_leading_numbers(arguments);
    let arguments_width = arguments.width().min(width * 3 / 4);
    let base = cut_end(base, width - arguments_width);
    let room = width - base.width();
    // Of a CUTLASS kernel both ends matter: its architecture and its tile.
    format!("{base}{}", cut_middle(&arguments, room, 3, 2))
}

/// Kernels that apply something to every element: what they apply says more than they do.
const WRAPPERS: [&str; 4] =
    ["elementwise_kernel", "reduce_kernel", "multi_tensor_apply_kernel", "elementwise_kernel_manual_unroll"];

/// `<4, add>` is `<add>`: how many elements a thread takes tells no kernels apart.
fn without_leading_numbers(arguments: &str) -> String {
    let inner = arguments.strip_prefix('<').unwrap_or(arguments);
    let inner =
        inner.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == ',' || letter == ' ');
    format!("<{inner}")
}

/// The arguments of a template in brackets, or nothing where there is no room for anything.
fn cut_arguments(arguments: &str, width: usize) -> String {
    if arguments.width() <= width {
        return arguments.to_owned();
    }
    match width {
        0 => String::new(),
        1..=4 => ELLIPSIS.to_string(),
        _ => format!("{}>", cut_end(arguments, width - 1)),
    }
}

/// Rewrites names that became alike so that the place where they differ is to be seen.
fn tell_apart(names: &[&str], alike: &[usize], width: usize, short: &mut [String]) {
    let full: Vec<String> =
        alike
            .iter()
            .map(|&index| {
                if is_cpp(names[index]) { without_namespaces(names[index]) } else { names[index].to_owned() }
            })
            .collect();
    let same = full.iter().skip(1).fold(full[0].chars().count(), |same, name| {
        full[0].chars().zip(name.chars()).take_while(|(a, b)| a == b).count().min(same)
    });
    let head_width = width / 3;
    if same < width * 2 / 3 {
        // The difference is in sight from the start.
        for (&index, name) in alike.iter().zip(&full) {
            short[index] = cut_end(name, width);
        }
        return;
    }
    for (&index, name) in alike.iter().zip(&full) {
        // A few characters of what they share lead to the difference; the start says whose difference it is.
        let skipped = same.saturating_sub(head_width / 2);
        let rest: String = name.chars().skip(skipped).collect();
        let head = take_width(name, head_width.min(skipped));
        let room = width.saturating_sub(head.width() + 1);
        short[index] = format!("{head}{ELLIPSIS}{}", cut_end(&rest, room));
    }
}

/// The last resort: a number at the end. Equal names get equal numbers.
fn number(names: &[&str], alike: &[usize], width: usize, short: &mut [String]) {
    let mut seen: Vec<(&str, String)> = Vec::new();
    for &index in alike {
        if let Some((_, text)) = seen.iter().find(|(name, _)| *name == names[index]) {
            short[index].clone_from(text);
            continue;
        }
        let base = short[index].clone();
        let mut number = 1;
        while seen.iter().any(|(_, text)| *text == short[index]) {
            number += 1;
            let suffix = format!("{ELLIPSIS}#{number}");
            short[index] = format!("{}{suffix}", take_width(&base, width.saturating_sub(suffix.width())));
        }
        seen.push((names[index], short[index].clone()));
    }
}

/// True for demangled C++, false for `module.py(12): forward`, `Memcpy DtoH (Device -> Pageable)` and such.
fn is_cpp(name: &str) -> bool {
    let is_call = || {
        let before = name.find('(').and_then(|open| name[..open].chars().last());
        name.ends_with(')') && before.is_some_and(|last| last.is_alphanumeric() || last == '_')
    };
    !name.starts_with('<')
        && !name.contains(".py(")
        && (name.starts_with("void ") || name.contains("::") || is_call())
}

/// Without return type, argument lists and lambdas.
fn without_calls(name: &str) -> String {
    let name = name.strip_prefix("void ").unwrap_or(name);
    let name = name.strip_suffix(".kd").or_else(|| name.strip_suffix(" [clone .kd]")).unwrap_or(name);
    let characters: Vec<char> = name.chars().collect();
    let mut text = String::with_capacity(name.len());
    let mut index = 0;
    while index < characters.len() {
        let character = characters[index];
        let after_name =
            text.chars().last().is_some_and(|last| last.is_alphanumeric() || "_>)".contains(last));
        match character {
            // `f(int)` is a call; `(anonymous namespace)::f` and the cast `<(kind)2>` are not.
            '(' if after_name => index = group_end(&characters, index, '(', ')'),
            '{' => index = group_end(&characters, index, '{', '}'),
            _ => {
                text.push(character);
                index += 1;
            }
        }
    }
    // What a lambda in a function leaves behind: `f::::operator const::`.
    for noise in ["::operator const", "::operator", " const::"] {
        text = text.replace(noise, "::");
    }
    while text.contains("::::") {
        text = text.replace("::::", "::");
    }
    for (from, to) in [("::,", ","), ("::>", ">"), ("::)", ")"), (" >", ">")] {
        text = text.replace(from, to);
    }
    text.trim_end_matches(':').trim().to_owned()
}

/// Without the namespaces before each name and without template arguments that say nothing.
fn without_namespaces(name: &str) -> String {
    let mut text = name.strip_prefix("void ").unwrap_or(name).replace("(anonymous namespace)::", "");
    let mut plain = String::with_capacity(text.len());
    let mut word = String::new();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character.is_alphanumeric() || character == '_' {
            word.push(character);
        } else if character == ':' && characters.peek() == Some(&':') {
            characters.next();
            word.clear();
        } else {
            plain.push_str(&word);
            plain.push(character);
            word.clear();
        }
    }
    plain.push_str(&word);
    text = plain.replace(" >", ">");
    for wrapper in ["gpu_kernel_impl_nocast<", "gpu_kernel_impl<"] {
        text = without_template(&text, wrapper);
    }
    // How elementwise kernels pass their pointers; every one of them has it.
    for number in 1..=9 {
        for suffix in ["", "ul"] {
            for array in ["array", "Array"] {
                text = text.replace(&format!(", {array}<char*, {number}{suffix}>"), "");
            }
        }
    }
    text
}

/// Takes the arguments of a template out of it: `f<x>` is `x`.
fn without_template(text: &str, template: &str) -> String {
    let Some(start) = text.find(template) else { return text.to_owned() };
    let inner = start + template.len();
    let mut depth = 1usize;
    let end = text[inner..].find(|letter| {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        depth == 0
    });
    match end.map(|end| inner + end) {
        Some(end) => format!("{}{}{}", &text[..start], &text[inner..end], &text[end + 1..]),
        None => text.to_owned(),
    }
}

/// The index after the group that opens at `start`; the end of the text if it never closes.
fn group_end(characters: &[char], start: usize, open: char, close: char) -> usize {
    let mut depth = 0usize;
    for (index, &character) in characters.iter().enumerate().skip(start) {
        if character == open {
            depth += 1;
        } else if character == close {
            depth -= 1;
            if depth == 0 {
                return index + 1;
            }
        }
    }
    characters.len()
}

/// Cuts the middle so that `head` to `tail` is the proportion of what stays.
fn cut_middle(text: &str, width: usize, head: usize, tail: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let Some(room) = width.checked_sub(1) else { return String::new() };
    let front = take_width(text, room * head / (head + tail));
    let reversed: String = text.chars().rev().collect();
    let back: String = take_width(&reversed, room - front.width()).chars().rev().collect();
    format!("{front}{ELLIPSIS}{back}")
}

/// Cuts the end.
pub fn cut_end(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    width.checked_sub(1).map_or_else(String::new, |room| format!("{}{ELLIPSIS}", take_width(text, room)))
}

/// As many characters from the start as fit.
fn take_width(text: &str, width: usize) -> String {
    let mut used = 0;
    text.chars()
        .take_while(|character| {
            used += character.width().unwrap_or(0);
            used <= width
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>, \
                       std::array<char*, 3ul> >(int, at::native::CUDAFunctor_add<float>, std::array<char*, 3ul>)";
    const RSQRT: &str = "void at::native::vectorized_elementwise_kernel<4, at::native::rsqrt_kernel_cuda(\
                         at::TensorIteratorBase&)::{lambda()#2}::operator()() const::{lambda()#2}::operator()() \
                         const::{lambda(float)#1}, std::array<char*, 2ul> >(int, at::native::rsqrt_kernel_cuda(\
                         at::TensorIteratorBase&)::{lambda()#2}, std::array<char*, 2ul>)";

    #[test]
    fn noise_goes_before_anything_is_cut() {
        let expected = [
            (ADD, 60, "vectorized_elementwise_kernel<4, CUDAFunctor_add<float>>"),
            (RSQRT, 60, "vectorized_elementwise_kernel<4, rsqrt_kernel_cuda>"),
            (ADD, 34, "vectorize…<CUDAFunctor_add<float>>"),
            (
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
                40,
                "ncclDevKernel_AllReduce_Sum_f32_RING_LL",
            ),
            (
                "void cudnn::ops::nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>(cudnn::ops::nchw2nhwc_params_t<float>, float const*, float*)",
                80,
                "nchwToNhwcKernel<float, float, float, false, true, (cudnnKernelDataType_t)2>",
            ),
            ("void at::native::(anonymous namespace)::pow<float>(int)", 30, "pow<float>"),
            (
                "Cijk_Alik_Bljk_BBS_BH_UserArgs_MT256x128x64_MI16x16x1_SN",
                36,
                "Cijk_Alik_Bljk_BBS_BH…_MT256x128x64…",
            ),
        ];
        for (name, width, short) in expected {
            assert_eq!(shorten(name, width), short);
        }
    }

    #[test]
    fn a_name_that_fits_stays_as_it_is() {
        for name in ["aten::mm", "Memcpy HtoD (Pageable -> Device)", "<built-in method x of y>", "f(int)", ""]
        {
            assert_eq!(shorten(name, 40), name);
        }
    }

    #[test]
    fn other_names_are_cut_in_the_middle() {
        assert_eq!(shorten("Memcpy HtoD (Pageable -> Device)", 20), "Memcpy…le -> Device)");
        assert_eq!(
            shorten("torch/nn/modules/module.py(1501): _call_impl", 30),
            "torch/nn/…py(1501): _call_impl"
        );
    }

    #[test]
    fn names_stay_different() {
        let tile = |tile: &str| {
            format!("Gemm_Alik_Bljk_BBS_BH_Bias_HA_S_SAV_UserArgs_{tile}_MI16x16x1_SN_LDSB1_AFC1_WG64_4_1")
        };
        let (a, b) = (tile("MT256x128x64"), tile("MT128x128x64"));
        let short = shorten_all(&[&a, &b, &a], 30);
        assert_eq!(
            short,
            [
                "Gemm_Alik_…gs_MT256x128x64_MI…",
                "Gemm_Alik_…gs_MT128x128x64_MI…",
                "Gemm_Alik_…gs_MT256x128x64_MI…"
            ]
        );
    }

    #[test]
    fn three_names_that_differ_at_two_places_stay_different() {
        let name = |early: &str, late: &str| {
            format!("{}{early}{}{late}{}", "a".repeat(30), "b".repeat(30), "c".repeat(30))
        };
        let names = [name("x", "1"), name("x", "2"), name("y", "1")];
        let short = shorten_all(&names.each_ref().map(String::as_str), 20);
        assert_eq!(short.iter().collect::<std::collections::BTreeSet<_>>().len(), 3, "{short:?}");
        assert!(short.iter().all(|name| name.width() <= 20 && !name.contains('#')), "{short:?}");
    }

    #[test]
    fn what_cannot_be_told_apart_is_numbered() {
        let (a, b) = ("x".repeat(50), "x".repeat(51));
        let short = shorten_all(&[&a, &b, &a], 10);
        assert_ne!(short[0], short[1]);
        assert_eq!(short[0], short[2]);
        assert!(short.iter().all(|name| name.width() <= 10), "{short:?}");
    }

    #[test]
    fn no_text_is_wider_than_asked() {
        for name in
            [ADD, RSQRT, "漢字漢字漢字漢字漢字漢字", "((((((((((", "f(((((((", "a::b<c<d<e<f", "}}}{{{"]
        {
            for width in 1..40 {
                assert!(shorten(name, width).width() <= width, "{name} {width}");
            }
        }
    }
}
