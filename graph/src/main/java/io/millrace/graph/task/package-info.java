/**
 * What a TaskManager tells its data plane to run and what it hears back. {@link
 * io.millrace.graph.task.TaskHost} is the seam between the two: the data plane implements it with
 * threads and sockets, the simulator with events.
 */
package io.millrace.graph.task;
