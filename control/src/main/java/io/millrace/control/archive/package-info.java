/**
 * The jobs that have ended. {@link io.millrace.control.archive.JobArchive} is what a Dispatcher
 * remembers of them: their results and a line about each in memory, their details and history in an
 * {@link io.millrace.control.archive.ArchiveStore} where there is one. {@link
 * io.millrace.control.archive.FileArchive} is the one of JobManager processes, {@link
 * io.millrace.control.archive.FencedArchive} that of those whose recovery data many machines see,
 * {@link io.millrace.control.archive.MemoryArchive} that of simulations. {@link
 * io.millrace.control.archive.HistorySink} is the plug through which ended jobs reach a history
 * server.
 */
package io.millrace.control.archive;
