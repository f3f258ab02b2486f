/**
 * Runs pure deciders inside an endpoint.
 *
 * <p>A {@link io.millrace.rpc.decision.Decider} takes events and the time and returns actions.
 * {@link io.millrace.rpc.decision.DeciderRunner} lives in a mailbox: it keeps the order of events
 * that arise while actions are performed, and sets the timer that the decider asks for.
 */
package io.millrace.rpc.decision;
