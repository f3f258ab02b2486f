/**
 * Where files are, whatever holds them. {@link io.millrace.core.fs.FileSystems} finds the {@link
 * io.millrace.core.fs.FileSystem} of a path by its scheme: the built-in one for local files, others
 * from plugins and the class path. To add a kind of storage, implement {@code FileSystem} and name
 * it in {@code META-INF/services}. {@link io.millrace.core.fs.FencedDirectory} is for what one
 * process at a time may change, wherever that process runs; {@link
 * io.millrace.core.fs.DurableDirectory} makes directories on this machine that a loss of power
 * leaves.
 */
package io.millrace.core.fs;
