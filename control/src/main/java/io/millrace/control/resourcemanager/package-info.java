/**
 * Knows all workers and what jobs need of them. {@link
 * io.millrace.control.resourcemanager.ResourceManagerRunner} contends for leadership and runs one
 * {@link io.millrace.control.resourcemanager.ResourceManager} a term. That one is a thin shell: it
 * keeps registrations and carries messages, while {@link
 * io.millrace.control.slotmanager.SlotManager} decides who gets which slot and how many workers
 * there should be, {@link io.millrace.control.workerpool.WorkerPool} how to get them from the
 * driver, and {@link io.millrace.control.token.TokenPlan} which delegation tokens they are sent
 * when. What workers keep of results for later jobs it knows from their reports.
 */
package io.millrace.control.resourcemanager;
