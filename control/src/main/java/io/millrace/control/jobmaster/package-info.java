/**
 * Runs one job. {@link io.millrace.control.jobmaster.JobMasterRunner} is the entry: it takes part
 * in the election of its job and runs one {@link io.millrace.control.jobmaster.JobMaster} per term.
 * The JobMaster is a thin endpoint around the scheduler and the {@code SlotPoolService}: it turns
 * messages into events and actions into {@code TaskManagerCalls}.
 */
package io.millrace.control.jobmaster;
