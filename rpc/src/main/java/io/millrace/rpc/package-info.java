/**
 * RPC between components. An {@link io.millrace.rpc.Endpoint} runs all its code in its mailbox and
 * is called through gateways: Java interfaces whose methods take one message record and return a
 * future or nothing. {@link io.millrace.rpc.Rpc} is the entry point: it serves endpoints, creates
 * gateways, keeps deadlines, checks fencing tokens and notifies watchers of a process when the
 * connection to it breaks. {@link io.millrace.rpc.Env} is the only environment that an endpoint
 * uses, so that the same endpoint runs on threads and sockets or in a simulation.
 *
 * <p>Calls of one caller to one endpoint arrive in the order sent. A reply completes its future
 * inside the caller's mailbox.
 */
package io.millrace.rpc;
