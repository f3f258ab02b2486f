/** Noticing that somebody fell silent: {@link io.millrace.rpc.heartbeat.Heartbeats}. */
package io.millrace.rpc.heartbeat;
