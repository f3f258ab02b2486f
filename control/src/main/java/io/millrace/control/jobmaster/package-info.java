/**
 * Runs one job. {@link io.millrace.control.jobmaster.JobMasterRunner} is the entry: it takes part
 * in the election for its job and has one {@link io.millrace.control.jobmaster.JobMaster} for each
 * term it leads. The JobMaster is a thin shell around the scheduler and the slot pool: it turns
 * messages into their events and their actions into messages.
 */
package io.millrace.control.jobmaster;
