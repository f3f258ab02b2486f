/**
 * Decides which cluster a command uses: the one that {@code -m} or a command-line style names, or
 * the one of a {@link io.millrace.cli.deployment.ClusterDirectory} on this machine. Commands use it
 * through {@link io.millrace.cli.deployment.ClusterMixin}.
 */
package io.millrace.cli.deployment;
