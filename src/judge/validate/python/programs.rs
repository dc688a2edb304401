//! The programs that run tests in an interpreter, put together from files.

use crate::benchmark::python::Interpreter;

/// What all our programs begin with. They are handed over as texts, so that no file of them can be changed.
macro_rules! program {
    ($($own:literal),+) => {
        concat!(
            include_str!("runner/request.py"),
            "\n\n",
            include_str!("runner/failure.py"),
            "\n\n",
            include_str!("runner/clock.py"),
            "\n\n",
            "CHILD = r'''",
            include_str!("runner/child.py"),
            "'''\n\n",
            include_str!("runner/executed.py"),
            "\n\n",
            include_str!("runner/values.py"),
            "\n\n",
            include_str!("runner/observed.py"),
            "\n\n",
            include_str!("runner/near.py"),
            "\n\n",
            include_str!("runner/drawn.py"),
            "\n\n",
            include_str!("runner/guard.py"),
            "\n\n",
            include_str!("runner/session.py"),
            $("\n\n", include_str!($own)),+
        )
    };
}

/// Our plugin of pytest, with the process around it.
const UNDER_PYTEST: &str = program!(
    "runner/mask.py",
    "../../benchmark/python/absent.py",
    "runner/rewritten.py",
    "runner/plugin.py",
    "runner/serve.py"
);
/// The same for interpreters without pytest.
const UNDER_UNITTEST: &str = program!("runner/cases.py");
/// The program that runs tests under an interpreter.
pub(super) fn code(interpreter: &Interpreter) -> &'static str {
    if interpreter.pytest.is_some() { UNDER_PYTEST } else { UNDER_UNITTEST }
}
