/** Noticing that somebody fell silent: {@link io.millrace.rpc.heartbeat.HeartbeatMonitor}. */
package io.millrace.rpc.heartbeat;
