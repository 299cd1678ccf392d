// The projects have what is to be built.
