/**
 * From a program to what the cluster takes. The values of this package are the {@link
 * io.millrace.graph.JobGraph}: vertices (chains of operators) and edges (exchanges), with user
 * functions as opaque bytes.
 */
package io.millrace.graph;
