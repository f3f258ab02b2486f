package io.millrace.sim;

import io.millrace.rpc.Envelope;
import java.util.List;

/**
 * Sits on the wire between processes. It sees what is carried and may carry something else; calls
 * inside a process do not pass here.
 */
public interface MessageInterceptor {
  /** Carries everything as it is. */
  MessageInterceptor NONE = new MessageInterceptor() {};

  /**
   * A process sends: what is returned is carried instead, in order; nothing loses the message
   * without anybody noticing, as no real connection would.
   */
  default List<Envelope> sends(String from, String to, Envelope envelope) {
    return List.of(envelope);
  }

  /** A call has arrived and is about to be handed to its endpoint. */
  default void called(String from, SimProcess to, Envelope.Call call) {}

  /** A process answers a call; the answer has still to be carried. */
  default void answers(SimProcess by, String to, Envelope.Call call, Envelope answer) {}

  /** An answer has arrived. */
  default void heard(SimProcess at, String from, Envelope.Call call, Envelope answer) {}

  /** A process is told that a connection broke. */
  default void lost(SimProcess at, String peer) {}
}
