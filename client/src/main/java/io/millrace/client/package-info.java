/**
 * What stands between a user and a cluster: the program's jar ({@link
 * io.millrace.client.PackagedProgram}), the choice of where it runs ({@link
 * io.millrace.client.Targets}), and the cluster itself behind {@link
 * io.millrace.client.ClusterClient}, over REST here and in process where the embedded cluster
 * provides it.
 */
package io.millrace.client;
