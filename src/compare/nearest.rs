//! Which runs are compared without being asked for: for each its nearest others.
