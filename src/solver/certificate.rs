//! Certificates of optimality: bounds on the distance of a solution to the optimum.
//!
//! For a kernel expansion with coefficients `beta_i = y_i alpha_i`, decision values `f`, bias `b`
//! and `v_i = y_i - (f_i - b)`:
//!
//! ```text
//! hinge            primal 1/2 |w|^2 + sum c_i max(0, 1 - y_i f_i)
//!                  dual   sum alpha_i - 1/2 |w|^2
//!                  violation max {v_i : beta_i may rise} - min {v_i : beta_i may fall}
//! tube             primal 1/2 |w|^2 + sum c_i max(0, |p_i - f_i| - epsilon)
//!                  dual   sum p_i beta_i - epsilon sum |beta_i| - 1/2 |w|^2
//! one class        primal 1/2 |w|^2 + sum c_i max(0, -f_i) + b sum beta
//!                  dual   -1/2 |w|^2
//! squared hinge    primal 1/2 |w|^2 + 1/2 sum c_i max(0, 1 - y_i f_i)^2
//!                  dual   sum alpha_i - 1/2 |w|^2 - 1/2 sum alpha_i^2 / c_i
//!                  violation |1 - y_i f_i - alpha_i / c_i| where alpha_i > 0, else its positive part
//! penalized bias   as the squared hinge, with b^2 / 2 in the primal and (sum beta)^2 / 2 in the dual
//! ```
//!
//! where `p_i` are targets, and `|w|^2 = beta . (f - b)`. The violation of a tube compares
//! `v_i = p_i - (f_i - b)` minus epsilon for coefficients above 0 and plus epsilon for those below;
//! that of one class has `v_i = -(f_i - b)`. The optimum is between the dual and the primal objective.

/// Bounds of the optimum, and the violation of the optimality conditions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Certificate {
    /// The primal objective, an upper bound of the optimum.
    pub primal: f64,
    /// The dual objective, a lower bound of the optimum.
    pub dual: f64,
    /// The largest violation of the optimality (KKT) conditions.
    pub violation: f64,
}

impl Certificate {
    /// The duality gap.
    pub fn gap(&self) -> f64 {
        self.primal - self.dual
    }

    /// Replaces NaN, the result of an overflow, by infinite bounds.
    fn or_infinite(self) -> Self {
        let known = |value: f64, bound: f64| if value.is_nan() { bound } else { value };
        Self {
            primal: known(self.primal, f64::INFINITY),
            dual: known(self.dual, f64::NEG_INFINITY),
            violation: known(self.violation, f64::INFINITY),
        }
    }
}

/// The objectives of the exact kernel methods.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Objective {
    /// Hinge loss; the bias is free.
    Hinge,
    /// Epsilon-insensitive loss of targets; the bias is free.
    Tube {
        /// The half-width of the tube.
        epsilon: f64,
    },
    /// The one-class problem: hinge loss at 0, with a fixed sum of coefficients.
    OneClass,
    /// Squared hinge loss; the bias is free or 0.
    SquaredHinge,
    /// Squared hinge loss; the bias is part of the norm.
    PenalizedBias,
}

/// One sample of a binary problem, with its coefficient and decision value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The label: +1 or -1; or the target.
    pub label: f64,
    /// The coefficient `y alpha`.
    pub beta: f64,
    /// The regularization parameter of the sample: C times its weights.
    pub c: f64,
    /// The decision value `f`, including the bias.
    pub output: f64,
}

impl Objective {
    /// The certificate of a binary classifier from all samples of its problem.
    pub fn certify(self, terms: impl Iterator<Item = Term> + Clone, bias: f64) -> Certificate {
        match self {
            Objective::Hinge => piecewise_linear(terms, bias, 0.0, |term| match term.label > 0.0 {
                true => (term.label, 0.0, term.c),
                false => (term.label, -term.c, 0.0),
            }),
            Objective::Tube { epsilon } => {
                piecewise_linear(terms, bias, epsilon, |term| (term.label, -term.c, term.c))
            }
            Objective::OneClass => {
                let total: f64 = terms.clone().map(|term| term.beta).sum();
                let found = piecewise_linear(terms, bias, 0.0, |term| (0.0, 0.0, term.c));
                Certificate {
                    primal: found.primal + bias * total,
                    ..found
                }
            }
            Objective::SquaredHinge => squared_hinge(terms, bias),
            Objective::PenalizedBias => {
                let total: f64 = terms.clone().map(|term| term.beta).sum();
                let free = squared_hinge(terms, bias);
                Certificate {
                    primal: free.primal + 0.5 * bias * bias,
                    dual: free.dual - 0.5 * total * total,
                    violation: free.violation,
                }
            }
        }
        .or_infinite()
    }
}

/// A coefficient that reaches this share of a bound is at the bound, and differs by rounding.
const BELOW: f64 = 1.0 - 4.0 * f64::EPSILON;

/// The certificate for a loss that is linear on both sides of a tube; `problem` returns the linear
/// term and the bounds of a coefficient.
fn piecewise_linear(
    terms: impl Iterator<Item = Term>,
    bias: f64,
    epsilon: f64,
    problem: impl Fn(&Term) -> (f64, f64, f64),
) -> Certificate {
    let (mut square, mut losses, mut linear) = (0.0, 0.0, 0.0);
    let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
    for term in terms {
        let (target, least, most) = problem(&term);
        let (beta, error) = (term.beta, target - term.output);
        square += beta * (term.output - bias);
        linear += target * beta - epsilon * beta.abs();
        losses += weighted(most, error - epsilon, |loss| loss);
        losses += weighted(-least, -error - epsilon, |loss| loss);
        let v = target - (term.output - bias);
        if beta < most * BELOW {
            highest = largest(highest, if beta < 0.0 { v + epsilon } else { v - epsilon });
        }
        if beta > least * BELOW {
            let value = if beta > 0.0 { v - epsilon } else { v + epsilon };
            lowest = -largest(-lowest, -value);
        }
    }
    Certificate {
        primal: 0.5 * square + losses,
        dual: linear - 0.5 * square,
        violation: largest(0.0, highest - lowest),
    }
}

fn squared_hinge(terms: impl Iterator<Item = Term> + Clone, bias: f64) -> Certificate {
    let (mut square, mut losses, mut total, mut squares) = (0.0, 0.0, 0.0, 0.0);
    let (mut least, mut most, mut violation) = (0.0f64, 0.0f64, 0.0);
    for Term {
        label,
        beta,
        c,
        output,
    } in terms
    {
        let alpha = label * beta;
        let loss = 1.0 - label * output;
        square += beta * (output - bias);
        total += alpha;
        squares += alpha * (alpha / c);
        losses += weighted(c, loss, |loss| loss * loss);
        (least, most) = (least.min(alpha), most.max(alpha));
        let error = loss - alpha / c;
        let error = if alpha > 0.0 { error.abs() } else { error };
        violation = largest(largest(violation, error), -alpha / c);
    }
    // With a negative alpha beyond rounding, the dual objective is not a bound.
    let dual = match least < -1e-9 * most {
        true => f64::NEG_INFINITY,
        false => total - 0.5 * square - 0.5 * squares,
    };
    Certificate {
        primal: 0.5 * square + 0.5 * losses,
        dual,
        violation,
    }
}

/// The loss of a sample times its C; 0 for a loss of 0, even if C is infinite.
fn weighted(c: f64, loss: f64, penalty: fn(f64) -> f64) -> f64 {
    if c > 0.0 && (loss > 0.0 || loss.is_nan()) {
        c * penalty(loss)
    } else {
        0.0
    }
}

/// The maximum; NaN if one of the values is NaN, so that an overflow is not ignored.
fn largest(one: f64, other: f64) -> f64 {
    if one.is_nan() || one > other {
        one
    } else {
        other
    }
}
