/**
 * How components talk. An {@link io.millrace.rpc.Endpoint} runs everything in its mailbox and is
 * called through gateways: Java interfaces whose methods take one message record and return a
 * future, or nothing. {@link io.millrace.rpc.Rpc} is the one entry: it serves endpoints, makes
 * gateways, keeps deadlines, checks fencing tokens and tells who watches a process when the
 * connection to it breaks. {@link io.millrace.rpc.Env} is all an endpoint may know of the world
 * outside, so that the same endpoint runs on threads and sockets or in a simulation.
 *
 * <p>Calls of one caller to one endpoint arrive in the order sent. A reply completes its future
 * inside the caller's mailbox.
 */
package io.millrace.rpc;
