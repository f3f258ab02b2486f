/**
 * Ended jobs. The Dispatcher adds them to {@link io.millrace.control.archive.JobArchive}, which
 * keeps results and overviews in memory, and details and history in an {@link
 * io.millrace.control.archive.ArchiveStore}: {@link io.millrace.control.archive.FileArchive} in
 * JobManager processes, {@link io.millrace.control.archive.SharedArchive} on shared storage, {@link
 * io.millrace.control.archive.MemoryArchive} in simulations. {@link
 * io.millrace.control.archive.HistorySink} is the plug point for history servers.
 */
package io.millrace.control.archive;
