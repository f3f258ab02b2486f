package io.millrace.sim;

import io.millrace.rpc.Envelope;
import java.util.List;

/**
 * Observes the messages between processes, and can replace them. Calls inside a process are not
 * intercepted.
 */
public interface MessageInterceptor {
  /** Changes nothing. */
  MessageInterceptor NONE = new MessageInterceptor() {};

  /**
   * A process sends a message. The returned messages are sent instead, in order. An empty list
   * loses the message without an error, which a real connection does not do.
   */
  default List<Envelope> sends(String from, String to, Envelope envelope) {
    return List.of(envelope);
  }

  /** A call has arrived and is passed to its endpoint after this. */
  default void called(String from, SimProcess to, Envelope.Call call) {}

  /** A process answers a call. The answer is sent after this. */
  default void answers(SimProcess by, String to, Envelope.Call call, Envelope answer) {}

  /** An answer has arrived. */
  default void heard(SimProcess at, String from, Envelope.Call call, Envelope answer) {}

  /** A process is notified of a broken connection. */
  default void lost(SimProcess at, String peer) {}
}
