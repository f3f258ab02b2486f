/**
 * The client side of a cluster: the jar of a program ({@link io.millrace.client.PackagedProgram}),
 * the target on which it runs ({@link io.millrace.client.Targets}), and the requests to a cluster
 * ({@link io.millrace.client.ClusterClient}), which this package implements over REST.
 */
package io.millrace.client;
