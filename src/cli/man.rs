//! `unidebug man`: manual pages, made of what `--help` says.

use super::args::{Cli, ManArgs};
use super::error::Failure;
use clap::CommandFactory;
use clap_mangen::Man;

/// Prints the first page, or writes all.
///
/// # Errors
/// The folder cannot be written.
pub(super) fn man(args: &ManArgs) -> Result<u8, Failure> {
    let command = Cli::command();
    let Some(folder) = &args.out else {
        let mut page = Vec::new();
        Man::new(command).render(&mut page).map_err(|error| Failure::io("making the page", &error))?;
        super::print(&String::from_utf8_lossy(&page));
        return Ok(0);
    };
    let written = std::fs::create_dir_all(folder).and_then(|()| clap_mangen::generate_to(command, folder));
    written.map_err(|error| Failure::io(&format!("writing pages into {folder}"), &error))?;
    super::tell(&format!("in {folder}: a page for each command; `man -l {folder}/unidebug.1` shows the first"));
    Ok(0)
}
