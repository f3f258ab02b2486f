package io.millrace.rpc.decision;

import java.util.List;
import java.util.OptionalLong;

/**
 * Decides which actions follow from an event. Pure: it sends nothing, waits for nothing and reads
 * no clock.
 *
 * @param <E> the events
 * @param <A> the actions
 */
public interface Decider<E, A> {
  /**
   * Applies an event and returns the actions to perform, in order.
   *
   * @param nanos the current time of {@code Env.nanos()}
   */
  List<A> apply(E event, long nanos);

  /**
   * The time at which the decider needs a tick if no event occurs before; empty if it needs none.
   */
  OptionalLong nextWake();
}
