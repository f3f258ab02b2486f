/**
 * Accepts jobs, starts a JobMaster for each and keeps their results. {@link
 * io.millrace.control.dispatcher.DispatcherRunner} is the entry: it takes part in the election and
 * runs one Dispatcher per term. A Dispatcher recovers the stored jobs from {@link
 * io.millrace.control.dispatcher.JobStorage} before it serves requests. {@code JobQueries} answers
 * questions about jobs.
 */
package io.millrace.control.dispatcher;
