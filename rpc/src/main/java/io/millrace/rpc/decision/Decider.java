package io.millrace.rpc.decision;

import java.util.List;
import java.util.OptionalLong;

/**
 * Decides what to do about events. A plain object: it sends nothing, waits for nothing and reads no
 * clock.
 *
 * @param <E> what can happen
 * @param <A> what it wants done
 */
public interface Decider<E, A> {
  /**
   * Takes an event and returns what is to be done about it, in this order.
   *
   * @param nanos the time of the endpoint's clock
   */
  List<A> apply(E event, long nanos);

  /** When it has to be asked again though nothing happens; nothing where it need not. */
  OptionalLong nextWake();
}
