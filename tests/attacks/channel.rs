//! Patches that reach for the channel over which results leave the test process: they read it, look for its mark in memory,
//! and write what they like. They spell the paths so that no look at the text finds them, and repair nothing.

use super::families::Layer::Tests;
use super::families::{Attack, attack};
use super::python;
use super::rows::{CART, Edit::Replace};

const FIELD: &str = "private int count;";
const HEAD: &str = "class Cart:";

const TURN: &str = "what is told of a test is turned round on its way";
const FORGE: &str = "the mark is read on its way, and all results are told with it";
const MEMORY: &str = "the mark is read from memory, and all results are told with it";

pub const JAVA: &[Attack] = &[
    attack("channel", TURN, Tests, &[Replace(CART, FIELD, include_str!("channel/turn.java"))]),
    attack("channel", FORGE, Tests, &[Replace(CART, FIELD, include_str!("channel/forge.java"))]),
    attack("channel", MEMORY, Tests, &[Replace(CART, FIELD, include_str!("channel/memory.java"))]),
];

pub const PYTHON: &[Attack] = &[
    attack("channel", TURN, Tests, &[Replace(python::CART, HEAD, include_str!("channel/turn.py"))]),
    attack("channel", FORGE, Tests, &[Replace(python::CART, HEAD, include_str!("channel/forge.py"))]),
    attack("channel", MEMORY, Tests, &[Replace(python::CART, HEAD, include_str!("channel/memory.py"))]),
];
