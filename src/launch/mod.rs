//! Launch commands: read as a shell would, shown one flag a line, copied as one safe line.
