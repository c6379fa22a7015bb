//! The few figures that a run is known by, each naming its cell.
