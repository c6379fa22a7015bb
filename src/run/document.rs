//! `run.json`: writing a run as `speedbook.run/1`, and the schema of that document.
