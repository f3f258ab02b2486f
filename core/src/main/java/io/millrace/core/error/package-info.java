/**
 * How things go wrong. Every error has an {@link io.millrace.core.error.ErrorKind} that decides, in
 * one place, whether to retry, to fail a job or to stop the process; {@link
 * io.millrace.core.error.MillraceException} carries it inside a process and {@link
 * io.millrace.core.error.Failure} between processes, where exceptions do not travel; {@link
 * io.millrace.core.error.RemoteException} is what arrives of them.
 */
package io.millrace.core.error;
