/**
 * Takes jobs, starts a JobMaster for each and remembers how they ended. {@link
 * io.millrace.control.dispatcher.DispatcherRunner} is the entry: it takes part in the election and
 * has one Dispatcher for each term it leads, which recovers the jobs of its forerunner from {@link
 * io.millrace.control.dispatcher.Storage} before it serves.
 */
package io.millrace.control.dispatcher;
