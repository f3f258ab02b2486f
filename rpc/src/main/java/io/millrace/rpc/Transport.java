package io.millrace.rpc;

import java.util.function.Consumer;

/**
 * Carries envelopes between processes. A simulation seam and a plug point.
 *
 * <p>Envelopes to one peer arrive in the order sent or not at all; after one was lost on a
 * connection nothing sent later arrives on it.
 */
public interface Transport extends AutoCloseable {
  /** How other processes reach this one. Known before {@link #start}. */
  String address();

  /** Begins to receive. */
  void start(Inbound inbound);

  /**
   * Sends in order, connecting where needed; never blocks and never throws for a peer's fault. What
   * cannot be sent shows as {@link Inbound#lost}.
   */
  void send(String peer, Envelope.Call call);

  @Override
  void close();

  /** Where a transport puts what arrives. Called from any thread. */
  interface Inbound {
    /** A call of a peer; the answer goes to {@code reply}, on the connection the call came on. */
    void called(String peer, Envelope.Call call, Consumer<Envelope> reply);

    /** A reply or an error to a call of ours. */
    void answered(String peer, Envelope answer);

    /**
     * A single call could not be sent, for a reason of its own such as its size; the connection
     * lives on.
     */
    void undeliverable(String peer, Envelope.Call call, String reason);

    /** The connection to or from a peer broke, or could not be made: open calls have no answer. */
    void lost(String peer, String reason);
  }
}
