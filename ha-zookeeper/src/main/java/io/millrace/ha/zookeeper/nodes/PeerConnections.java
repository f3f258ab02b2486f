package io.millrace.ha.zookeeper.nodes;

/** Opens connections to other JobManagers, to notice their end. A simulation seam. */
public interface PeerConnections {
  /** Hears what becomes of a connection, in any thread. */
  interface Listener {
    void connected();

    /** The host answers that no process listens at the RPC port. Nothing follows. */
    void refused();

    /** There is no connection for any other reason. Nothing follows. */
    void unanswered();

    /** The connection existed and has ended. Nothing follows. */
    void broken();
  }

  /** A connection, or the attempt to get one. */
  interface Connection {
    /** The listener is not called any more, except by a call that has begun. */
    void close();
  }

  /**
   * @param address as {@link NodeCoordinator} names a process
   */
  Connection connect(String address, Listener listener);
}
