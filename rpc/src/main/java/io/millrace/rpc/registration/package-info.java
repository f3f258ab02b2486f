/**
 * Registration of followers at a leader, as used between TaskManagers, JobMasters and the
 * ResourceManager.
 *
 * <p>{@link io.millrace.rpc.registration.LeaderConnection} is the follower's side: it follows the
 * leader, registers with retries ({@link io.millrace.rpc.registration.RetryingRegistration}) and
 * registers again after a loss. {@link io.millrace.rpc.registration.FollowerRegistry} is the
 * leader's side: it keeps the registered followers and asks them for heartbeats. {@link
 * io.millrace.rpc.registration.ConnectionLoss} says how either side detects that the other is gone.
 */
package io.millrace.rpc.registration;
