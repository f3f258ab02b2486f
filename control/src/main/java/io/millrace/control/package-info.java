/**
 * The control plane. {@link io.millrace.control.JobManager} starts its services. {@code dispatcher}
 * accepts jobs; {@code jobmaster} runs one job with its {@code scheduler}, {@code slotpool} and
 * {@code checkpoint}s; {@code resourcemanager} allocates slots with its {@code slotmanager} and
 * gets workers through a {@code driver}; {@code ha} stores recovery data; {@code blob} stores
 * graphs and jars; {@code archive} stores ended jobs; {@code cluster} runs leader elections.
 */
package io.millrace.control;
