/**
 * Errors. Every error has an {@link io.millrace.core.error.ErrorKind} that decides, in one place,
 * whether to retry, to fail a job or to stop the process. {@link
 * io.millrace.core.error.MillraceException} carries it inside a process and {@link
 * io.millrace.core.error.Failure} between processes. {@link io.millrace.core.error.RemoteException}
 * represents the exception of another process.
 */
package io.millrace.core.error;
