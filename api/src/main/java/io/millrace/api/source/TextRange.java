package io.millrace.api.source;

import java.nio.file.Path;

/** The lines of a file that start at {@code from} or later and before {@code to}. */
record TextRange(Path file, long from, long to) {}
