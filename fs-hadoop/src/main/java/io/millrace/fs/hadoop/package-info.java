/**
 * The file systems of Hadoop for sources, sinks and stored state: a plugin that contains Hadoop's
 * client.
 *
 * <p>{@link io.millrace.fs.hadoop.HadoopFileSystem} is the entry. Other users of Hadoop read its
 * configuration through {@link io.millrace.fs.hadoop.HadoopSettings}. Classes of Hadoop are loaded
 * when a path with one of its schemes is first used.
 */
package io.millrace.fs.hadoop;
