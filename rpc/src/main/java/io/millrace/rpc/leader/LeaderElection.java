package io.millrace.rpc.leader;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;

/**
 * Elects one leader among the contenders for a component. Plug point and simulation seam.
 *
 * <pre>
 * state of a contender   event                            next state
 * contending             {@link Contender#granted}        leading
 * leading                {@link Candidacy#confirm}        leading, visible to followers
 * leading                {@link Contender#revoked}        contending
 * any                    {@link Candidacy#withdraw}       withdrawn; no further calls
 * </pre>
 */
public interface LeaderElection {
  /** Adds a contender. It is called in its mailbox. */
  Candidacy contend(String component, Mailbox mailbox, Contender contender);

  /** A component that can become leader. */
  interface Contender {
    /** The contender is the leader from now on. The term of the token is higher than any before. */
    void granted(LeaderToken token);

    /**
     * The contender is no longer the leader and must stop everything that it started under the last
     * token.
     */
    void revoked();
  }

  /** The participation of a contender. */
  interface Candidacy {
    /**
     * Publishes the address of the leader to followers of the component. Ignored if the token is no
     * longer the current one.
     */
    void confirm(LeaderToken token, Address address);

    boolean leads(LeaderToken token);

    /** Ends the participation and gives up leadership, without a call of {@code revoked}. */
    void withdraw();
  }
}
