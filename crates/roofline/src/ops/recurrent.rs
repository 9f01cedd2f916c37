//! Recurrent layers: every matrix of weights is multiplied with every step of every sequence.

use super::{Call, Formula, Input, NoFormula, Rule, Tensor};
use crate::{Precision, Work};

const fn formula(names: &'static [&'static str], work: Rule) -> Formula {
    Formula { names, category: "recurrent", work, backward: None }
}

pub(super) const FORMULAS: &[Formula] = &[
    // (x, weights, weights per layer, buffer, h, c, mode, hidden, projection, layers, batch first, ...)
    formula(&["aten::_cudnn_rnn"], |call| {
        layers(call, &Places { states: &[4, 5], hidden: 7, projection: Some(8), both: 13 })
            .map(|found| found.forward())
    }),
    // (x, weights, weights per layer, h, c, mode, hidden, layers, batch first, dropout, training, both directions, ...)
    formula(&["aten::miopen_rnn"], |call| {
        layers(call, &Places { states: &[3, 4], hidden: 6, projection: None, both: 11 })
            .map(|found| found.forward())
    }),
    // (x, weights, weights per layer, buffer, h, c, output, gradients, mode, hidden, projection, layers, ...)
    formula(&["aten::_cudnn_rnn_backward"], |call| {
        layers(call, &Places { states: &[4, 5], hidden: 11, projection: Some(12), both: 17 })
            .map(|found| found.backward())
    }),
    formula(&["aten::miopen_rnn_backward"], |call| {
        layers(call, &Places { states: &[4, 5], hidden: 11, projection: None, both: 16 })
            .map(|found| found.backward())
    }),
];

/// Places of what follows input and weights.
struct Places {
    states: &'static [usize],
    hidden: usize,
    /// The extent the output is projected to, zero for none.
    projection: Option<usize>,
    both: usize,
}

/// The amounts of a stack of layers.
struct Layers {
    /// Steps of all sequences.
    steps: f64,
    inputs: f64,
    matrices: f64,
    weights: f64,
    states: f64,
    outputs: f64,
    stored: Precision,
}

/// Matrices have two axes, biases one. The element type of a list of weights is not recorded; it is that of the input,
/// which the libraries demand.
fn layers(call: &Call<'_>, places: &Places) -> Result<Layers, NoFormula> {
    let x = call.tensor(0)?;
    let [steps, _] = x.rows_and_columns()?;
    let Some(Input::List(weights)) = call.inputs.get(1) else {
        return Err("the shapes of the weights were not recorded".to_owned());
    };
    let projection = places.projection.and_then(|place| call.number(place)).filter(|extent| *extent > 0.0);
    let extent = projection.or_else(|| call.number(places.hidden)).filter(|extent| *extent >= 0.0);
    let extent = extent.ok_or("the extent of the state was not recorded")?;
    let directions = if call.flag(places.both) { 2.0 } else { 1.0 };
    let states = places.states.iter().filter_map(|place| call.optional(*place));
    Ok(Layers {
        steps,
        inputs: x.elements(),
        matrices: weights.iter().filter(|tensor| tensor.shape.len() == 2).map(Tensor::elements).sum(),
        weights: weights.iter().map(Tensor::elements).sum(),
        states: states.map(Tensor::elements).sum(),
        outputs: steps * extent * directions,
        stored: x.precision()?,
    })
}

impl Layers {
    fn forward(&self) -> Work {
        Work::matrix(self.steps * self.matrices, self.stored)
            .reads("x", self.inputs, self.stored)
            .reads("weights", self.weights, self.stored)
            .reads("states", self.states, self.stored)
            .writes("output", self.outputs, self.stored)
            .writes("states", self.states, self.stored)
    }

    /// The gradients of what goes in and of the weights.
    fn backward(&self) -> Work {
        Work::matrix(2.0 * self.steps * self.matrices, self.stored)
            .reads("x", self.inputs, self.stored)
            .reads("weights", self.weights, self.stored)
            .reads("output", self.outputs, self.stored)
            .reads("output gradient", self.outputs, self.stored)
            .writes("x gradient", self.inputs, self.stored)
            .writes("weights gradient", self.weights, self.stored)
    }
}
