/**
 * The control plane. {@link io.millrace.control.JobManager} starts its services in order; each has
 * a room of its own: {@code dispatcher} takes jobs, {@code jobmaster} runs one with its {@code
 * scheduler} and {@code slotpool}, {@code resourcemanager} finds slots with its {@code slotmanager}
 * and gets workers through a {@code driver}. {@code ha} keeps what must survive, {@code blob} keeps
 * graphs and jars, {@code cluster} is how each of them comes to lead.
 */
package io.millrace.control;
