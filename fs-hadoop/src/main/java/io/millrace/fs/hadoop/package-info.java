/**
 * The file systems of Hadoop for sources, sinks and stored state: a plugin that brings Hadoop's own
 * client with it.
 *
 * <p>{@link io.millrace.fs.hadoop.HadoopFileSystem} is what the engine finds and calls; what else
 * uses Hadoop reads its configuration through {@link io.millrace.fs.hadoop.HadoopSettings}. Nothing
 * of Hadoop is loaded before a path with one of its schemes is used.
 */
package io.millrace.fs.hadoop;
