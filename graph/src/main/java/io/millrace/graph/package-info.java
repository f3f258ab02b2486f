/**
 * From a program to what the cluster takes. {@link io.millrace.graph.Graphs} is the way in: it
 * makes the {@link io.millrace.graph.StreamGraph} (operators, each once) and from that the {@link
 * io.millrace.graph.JobGraph}: vertices (chains of operators) and edges (exchanges), with user
 * functions as opaque bytes. {@link io.millrace.graph.KeyGroups} says where a key lives. Everything
 * here is a pure function over values.
 */
package io.millrace.graph;
