package io.millrace.rpc;

import java.util.function.Consumer;

/**
 * Carries envelopes between processes. Plug point and simulation seam.
 *
 * <p>Envelopes to one peer arrive in the order sent or not at all. After a connection has lost one
 * envelope, none of the later ones arrives on it.
 */
public interface Transport extends AutoCloseable {
  /** The address under which other processes reach this one. Known before {@link #start}. */
  String address();

  /** Begins to receive. */
  void start(Inbound inbound);

  /**
   * Sends in order and connects if needed. Does not block and does not throw if the peer fails:
   * {@link Inbound#lost} reports envelopes that cannot be sent.
   */
  void send(String peer, Envelope.Call call);

  @Override
  void close();

  /** Receives what arrives. The transport calls it from any thread. */
  interface Inbound {
    /**
     * A peer calls. The answer is passed to {@code reply} and travels on the connection of the
     * call.
     */
    void called(String peer, Envelope.Call call, Consumer<Envelope> reply);

    /** A peer answers a call of this process with a reply or an error. */
    void answered(String peer, Envelope answer);

    /**
     * One call could not be sent, for example because it is too large. The connection stays open.
     */
    void undeliverable(String peer, Envelope.Call call, String reason);

    /** The connection to or from a peer broke or could not be made. Pending calls get no answer. */
    void lost(String peer, String reason);
  }
}
