/** Failure detection by heartbeats: {@link io.millrace.rpc.heartbeat.HeartbeatMonitor}. */
package io.millrace.rpc.heartbeat;
