/**
 * Accepts jobs, starts a JobMaster for each and keeps their results. {@link
 * io.millrace.control.dispatcher.DispatcherRunner} is the entry: it takes part in the election and
 * has one Dispatcher for each term it leads. A Dispatcher recovers the stored jobs from {@link
 * io.millrace.control.dispatcher.JobStorage} before it serves.
 */
package io.millrace.control.dispatcher;
