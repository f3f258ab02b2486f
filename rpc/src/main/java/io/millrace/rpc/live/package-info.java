/**
 * The real world behind {@link io.millrace.rpc.Env}: threads, clocks and chance. {@link
 * io.millrace.rpc.live.LiveEnv} is the only place of the control plane that may touch them.
 */
package io.millrace.rpc.live;
