/**
 * The transport between parts of one process: {@link io.millrace.rpc.inprocess.InProcessNetwork}.
 * Messages are immutable records and are handed over as they are.
 */
package io.millrace.rpc.inprocess;
