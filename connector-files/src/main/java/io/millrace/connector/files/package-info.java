/**
 * Files as input and output. {@link io.millrace.connector.files.FileSource} reads files of a {@link
 * io.millrace.connector.files.FileReadFormat}, {@link io.millrace.connector.files.FileSink} writes
 * those of a {@link io.millrace.connector.files.FileWriteFormat}. {@link
 * io.millrace.connector.files.LineFormat} is both, for text, CSV and JSON lines; other formats are
 * modules of their own. Paths of every scheme go through {@link io.millrace.core.fs.FileSystem}.
 * The engine does not have this module; a program packs it into its jar.
 */
package io.millrace.connector.files;
