package io.millrace.api.source;

import io.millrace.core.fs.FilePath;

/** The lines of a file that start at {@code from} or later and before {@code to}. */
record TextFileSplit(FilePath file, long from, long to) {}
