//! Certificates of optimality: bounds on the distance of a solution to the optimum.
//!
//! For a kernel expansion with coefficients `beta_i = y_i alpha_i`, decision values `f`, bias `b`
//! and `v_i = y_i - (f_i - b)`:
//!
//! ```text
//! hinge            primal 1/2 |w|^2 + sum c_i max(0, 1 - y_i f_i)
//!                  dual   sum alpha_i - 1/2 |w|^2
//!                  violation max {v_i : beta_i may rise} - min {v_i : beta_i may fall}
//! squared hinge    primal 1/2 |w|^2 + 1/2 sum c_i max(0, 1 - y_i f_i)^2
//!                  dual   sum alpha_i - 1/2 |w|^2 - 1/2 sum alpha_i^2 / c_i
//!                  violation |1 - y_i f_i - alpha_i / c_i| where alpha_i > 0, else its positive part
//! penalized bias   as the squared hinge, with b^2 / 2 in the primal and (sum beta)^2 / 2 in the dual
//! ```
//!
//! where `|w|^2 = beta . (f - b)`. The optimum is between the dual and the primal objective.

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Objective {
    /// Hinge loss; the bias is free.
    Hinge,
    /// Squared hinge loss; the bias is free or 0.
    SquaredHinge,
    /// Squared hinge loss; the bias is part of the norm.
    PenalizedBias,
}

/// One sample of a binary problem, with its coefficient and decision value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Term {
    /// The label: +1 or -1.
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
            Objective::Hinge => hinge(terms, bias),
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

fn hinge(terms: impl Iterator<Item = Term>, bias: f64) -> Certificate {
    let (mut square, mut losses, mut total) = (0.0, 0.0, 0.0);
    let (mut highest, mut lowest) = (f64::NEG_INFINITY, f64::INFINITY);
    for Term {
        label,
        beta,
        c,
        output,
    } in terms
    {
        square += beta * (output - bias);
        total += beta.abs();
        losses += weighted(c, 1.0 - label * output, |loss| loss);
        let v = label - (output - bias);
        let (least, most) = if label > 0.0 { (0.0, c) } else { (-c, 0.0) };
        if beta < most {
            highest = largest(highest, v);
        }
        if beta > least {
            lowest = -largest(-lowest, -v);
        }
    }
    Certificate {
        primal: 0.5 * square + losses,
        dual: total - 0.5 * square,
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
    if loss > 0.0 || loss.is_nan() {
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
