/**
 * Registers TaskManagers and JobMasters and allocates slots. {@link
 * io.millrace.control.resourcemanager.ResourceManagerRunner} takes part in the leader election and
 * runs one {@link io.millrace.control.resourcemanager.ResourceManager} per term. The
 * ResourceManager keeps registrations and sends messages. Deciders make its decisions: {@link
 * io.millrace.control.slotmanager.SlotManager} allocates slots and declares workers, {@link
 * io.millrace.control.workerpool.WorkerPool} requests workers from the driver, and {@link
 * io.millrace.control.token.TokenPlan} schedules delegation tokens. Cached data sets are known from
 * the reports of workers.
 */
package io.millrace.control.resourcemanager;
