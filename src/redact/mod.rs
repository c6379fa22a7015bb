//! Secrets and private names: found and hidden before anything is shown.
