package io.millrace.control.ha;

import io.millrace.rpc.Mailbox;
import io.millrace.rpc.Subscription;
import java.util.Optional;

/**
 * The session of one process at a coordination service, which elects one of the JobManagers of a
 * cluster as the leader and stores its recovery data. A plug point.
 *
 * <pre>
 * state of the process   event                            next state
 * following              {@link #contend}                 contending
 * contending             {@link Contender#elected}        leading
 * leading                {@link #takeOver}                leading, the only one whose writes succeed
 * leading                {@link #publish}                 leading, visible to all processes
 * leading                {@link Contender#dismissed}      contending
 * any                    {@link #close}                   closed; no further calls
 * </pre>
 *
 * <p>TaskManagers only follow. Methods that block say so; a failure of the service is a {@link
 * io.millrace.core.error.MillraceException} of kind EXTERNAL.
 */
public interface Coordinator extends AutoCloseable {
  /**
   * Contends for the leadership of the cluster.
   *
   * @param own the addresses of this process, at which others may check that it lives
   * @param mailbox in which the contender is called
   */
  void contend(LeaderRecord own, Mailbox mailbox, Contender contender);

  /**
   * Takes over the store. From then on writes of former leaders fail with a {@link
   * StaleWriteException}, and all their earlier writes are visible to this process. Blocks.
   *
   * @return false if this process contends and is not elected any more: nothing has changed then,
   *     and it is or will be dismissed
   */
  boolean takeOver();

  /** Publishes the addresses of this process, which has taken over, until it ends. Blocks. */
  void publish(LeaderRecord leader);

  /**
   * How many JobManagers contend for the leadership, this one included; a session of a dead one
   * counts until it ends. Blocks.
   */
  int contenders();

  /** The store. Reads are always possible, writes after {@link #takeOver}. */
  HaStore store();

  /** The published leader, as far as this process knows. Does not block. */
  Optional<LeaderRecord> leader();

  /** Calls the listener after each change of the published leader, in any thread. */
  Subscription onLeaderChange(Runnable listener);

  /** Gives up leadership and ends the session. Blocks. */
  @Override
  void close();

  /** A process that can become leader. */
  interface Contender {
    /** The process is the leader from now on. */
    void elected();

    /**
     * The process is no longer the leader, or cannot be sure of it. Called before another process
     * is elected, unless this one was frozen.
     */
    void dismissed();
  }
}
