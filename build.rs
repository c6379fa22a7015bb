//! Lists the files of `themes/default`, so that they are compiled into the program. A file that is
//! added to the folder is in the list with the next build.

use std::error::Error;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

const THEME: &str = "themes/default";

#[expect(
    clippy::disallowed_methods,
    reason = "a crate more for one file that cargo has made room for"
)]
fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    // A folder stands for everything in it.
    println!("cargo::rerun-if-changed={THEME}");
    let folder = PathBuf::from(env::var("CARGO_MANIFEST_DIR")?).join(THEME);
    let mut files = Vec::new();
    walk(&folder, "", &mut files)?;
    files.sort();
    let mut list = String::from("&[\n");
    for (path, disk) in files {
        writeln!(list, "    ({path:?}, include_bytes!({disk:?})),")?;
    }
    list.push_str("]\n");
    fs::write(
        Path::new(&env::var("OUT_DIR")?).join("default_theme.rs"),
        list,
    )?;
    Ok(())
}

fn walk(
    folder: &Path,
    below: &str,
    files: &mut Vec<(String, PathBuf)>,
) -> Result<(), Box<dyn Error>> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry
            .file_name()
            .into_string()
            .map_err(|name| format!("{THEME}: {} is not UTF-8", name.display()))?;
        if name.starts_with('.') {
            continue;
        }
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{below}{name}/"), files)?;
        } else {
            files.push((format!("{below}{name}"), entry.path()));
        }
    }
    Ok(())
}
