/**
 * Decides which cluster a command talks to: the one that {@code -m} or a command-line style names,
 * or the one of a {@link io.millrace.cli.target.ClusterDirectory} on this machine. Commands use it
 * through {@link io.millrace.cli.target.ClusterMixin}.
 */
package io.millrace.cli.target;
