//! Paints what the feature `png` is for.

use std::sync::{Arc, LazyLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{self, fontdb};

use super::Error;

/// The fonts of drawings, parts of Inter (see `fonts/`). Fonts of the system would make the same drawing look
/// different on every machine, and many servers have none.
static FONTS: LazyLock<Arc<fontdb::Database>> = LazyLock::new(|| {
    let mut fonts = fontdb::Database::new();
    fonts.load_font_data(include_bytes!("../../fonts/Inter-Regular.otf").to_vec());
    fonts.load_font_data(include_bytes!("../../fonts/Inter-SemiBold.otf").to_vec());
    join_weights(&mut fonts);
    fonts.set_sans_serif_family(FAMILY);
    fonts.set_monospace_family(FAMILY);
    Arc::new(fonts)
});

const FAMILY: &str = "Inter";

/// The file of the heavier weight calls itself its own family, by which no drawing asks for it.
fn join_weights(fonts: &mut fontdb::Database) {
    let faces: Vec<fontdb::FaceInfo> = fonts.faces().cloned().collect();
    for mut face in faces {
        fonts.remove_face(face.id);
        for (name, _) in &mut face.families {
            FAMILY.clone_into(name);
        }
        fonts.push_face_info(face);
    }
}

/// Paints a drawing with `scale` points of the picture for each of its own.
///
/// # Errors
/// If the text is not a SVG or its size is out of range.
pub fn render(svg: &str, scale: f32) -> Result<Vec<u8>, Error> {
    let options = usvg::Options {
        font_family: FAMILY.to_owned(),
        fontdb: Arc::clone(&FONTS),
        ..usvg::Options::default()
    };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|error| Error::Svg(error.to_string()))?;
    let size = tree.size();
    let (width, height) = ((size.width() * scale).ceil() as u32, (size.height() * scale).ceil() as u32);
    let mut picture = Pixmap::new(width, height).ok_or(Error::Size { width, height })?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut picture.as_mut());
    picture.encode_png().map_err(|error| Error::Png(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(svg: &str) -> Pixmap {
        Pixmap::decode_png(&render(svg, 2.0).unwrap()).unwrap()
    }

    fn drawing(inside: &str) -> String {
        format!("<svg xmlns='http://www.w3.org/2000/svg' width='60' height='20'>{inside}</svg>")
    }

    #[test]
    fn a_rectangle_is_where_it_should_be() {
        let picture = points(&drawing("<rect x='10' y='0' width='10' height='20' fill='#ff0000'/>"));
        assert_eq!((picture.width(), picture.height()), (120, 40));
        let red = |x, y| picture.pixel(x, y).is_some_and(|point| (point.red(), point.alpha()) == (255, 255));
        assert_eq!([red(19, 5), red(20, 5), red(39, 39), red(40, 39)], [false, true, true, false]);
    }

    #[test]
    fn text_is_drawn_in_the_embedded_font() {
        for family in ["Inter", "no such font, sans-serif", "monospace"] {
            let text = format!("<text x='0' y='15' font-family='{family}' font-size='14'>GEMM µs ≤</text>");
            let drawn = points(&drawing(&text)).pixels().iter().filter(|point| point.alpha() > 0).count();
            assert!(drawn > 300, "{family}: {drawn} points");
        }
    }

    #[test]
    fn strong_text_is_heavier() {
        let ink = |weight: u32| {
            let text = format!("<text x='0' y='15' font-size='14' font-weight='{weight}'>roofline</text>");
            points(&drawing(&text)).pixels().iter().map(|point| u32::from(point.alpha())).sum::<u32>()
        };
        assert!(ink(600) * 10 > ink(400) * 11, "{} and {}", ink(600), ink(400));
    }

    #[test]
    fn what_is_no_drawing_is_an_error() {
        assert!(matches!(render("<html>", 1.0), Err(Error::Svg(_))));
        assert!(matches!(render(&drawing(""), 1e9), Err(Error::Size { .. })));
    }
}
