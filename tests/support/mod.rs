//! What tests share: a scripted endpoint that speaks real HTTP, and the program itself in a clean environment.

mod batch;
mod batches;
mod browser;
mod developer;
mod endpoint;
mod gate;
mod parallel;
mod phases;
mod processor;
mod program;
mod sample;
mod terminal;
mod tree;
mod trial;

#[allow(unused_imports)]
pub use batch::{Batch, essence, expect_same, possibly_billed, status};
#[allow(unused_imports)]
pub use batches::{Batches, Made};
#[allow(unused_imports)]
pub use browser::Browser;
#[allow(unused_imports)]
pub use developer::Developer;
#[allow(unused_imports)]
pub use endpoint::{Endpoint, Reply, Served};
#[allow(unused_imports)]
pub use gate::{Gate, change, dollars, fix, steady, up_to_level_3};
#[allow(unused_imports)]
pub use parallel::in_parallel;
#[allow(unused_imports)]
pub use phases::{CONTROLS, Cost, PLAIN, Phases};
pub use processor::processor;
#[allow(unused_imports)]
pub use program::{Finished, Unidebug, unidebug};
#[allow(unused_imports)]
pub use sample::{is_patient, sample};
#[allow(unused_imports)]
pub use terminal::Terminal;
#[allow(unused_imports)]
pub use tree::{folder_of, python_environment, write_files};
#[allow(unused_imports)]
pub use trial::{Trial, repair};
