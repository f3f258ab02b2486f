/**
 * The transport inside one process: {@link io.millrace.rpc.inprocess.InProcessNetwork}. Messages
 * are immutable records and are passed by reference.
 */
package io.millrace.rpc.inprocess;
