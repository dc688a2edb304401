//! Why something that a model or a person wrote is not taken.

crate::reasons! {
    /// Why what a model sent or asked for is not taken, as a sentence by which it can do better.
    pub struct Refusal;

    /// Why a word that a person wrote, in a flag, a file or a variable, has no meaning there; it says what would have one.
    pub struct InvalidValue;
}
