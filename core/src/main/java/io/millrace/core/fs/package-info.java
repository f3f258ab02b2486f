/**
 * File systems. {@link io.millrace.core.fs.FileSystems} finds the {@link
 * io.millrace.core.fs.FileSystem} of a path by its scheme: the built-in one for local files, others
 * from plugins and the class path. To add a file system, implement {@code FileSystem} and name it
 * in {@code META-INF/services}. {@link io.millrace.core.fs.FencedDirectory} is a directory on
 * shared storage that one process at a time may change. {@link
 * io.millrace.core.fs.DurableDirectory} creates local directories that survive a power loss.
 */
package io.millrace.core.fs;
