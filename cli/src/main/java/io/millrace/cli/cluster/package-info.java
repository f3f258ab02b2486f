/**
 * The commands about a standalone cluster on this machine. {@link
 * io.millrace.cli.cluster.ClusterCommand} is the entry point; its subcommands start, change, show
 * and stop the processes of a cluster directory.
 */
package io.millrace.cli.cluster;
