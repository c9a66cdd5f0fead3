//! The two sides of signed coefficients.

use std::ops::{Index, IndexMut};

/// Where a coefficient moves: above or below 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// Between 0 and the upper bound.
    Positive,
    /// Between the lower bound and 0.
    Negative,
}

impl Side {
    /// Both sides, in the order of [`PerSide`].
    pub const BOTH: [Side; 2] = [Side::Positive, Side::Negative];

    /// The negative side on a condition, else the positive one.
    pub fn negative_if(is_negative: bool) -> Self {
        if is_negative {
            Side::Negative
        } else {
            Side::Positive
        }
    }

    /// +1 or -1.
    pub fn sign(self) -> f64 {
        match self {
            Side::Positive => 1.0,
            Side::Negative => -1.0,
        }
    }
}

/// A value for each side.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PerSide<T>(pub [T; 2]);

impl<T> PerSide<T> {
    /// The same value for both sides.
    pub fn of(value: T) -> Self
    where
        T: Copy,
    {
        Self([value, value])
    }

    /// Applies a function to both values.
    pub fn map<R>(self, function: impl FnMut(T) -> R) -> [R; 2] {
        self.0.map(function)
    }
}

impl<T> Index<Side> for PerSide<T> {
    type Output = T;

    fn index(&self, side: Side) -> &T {
        &self.0[side as usize]
    }
}

impl<T> IndexMut<Side> for PerSide<T> {
    fn index_mut(&mut self, side: Side) -> &mut T {
        &mut self.0[side as usize]
    }
}
