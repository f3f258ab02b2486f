/**
 * The implementation of {@link io.millrace.rpc.Env} with real threads, clocks and randomness.
 * {@link io.millrace.rpc.live.LiveEnv} is the only class of the control plane that may use them.
 */
package io.millrace.rpc.live;
