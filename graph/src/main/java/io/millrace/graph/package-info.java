/**
 * Graphs of jobs. {@link io.millrace.graph.Graphs} is the entry: it translates a program into a
 * {@link io.millrace.graph.StreamGraph} (operators) and that into a {@link
 * io.millrace.graph.JobGraph} (vertices, which are chains of operators, and edges) with user
 * functions as opaque bytes. {@link io.millrace.graph.KeyGroups} assigns keys to subtasks. All
 * classes are immutable values or pure functions.
 */
package io.millrace.graph;
