package io.millrace.rpc.leader;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;

/** Decides among contenders for a component who leads. A plug point and a simulation seam. */
public interface LeaderElection {
  /** Takes part from now on. The contender is told in its mailbox. */
  Candidacy contend(String component, Mailbox mailbox, Contender contender);

  /** One who would lead. */
  interface Contender {
    /** Leads from now on, under a token whose term is higher than any before. */
    void granted(LeaderToken token);

    /** Leads no more; whatever it started under the last token has to stop. */
    void revoked();
  }

  /** Taking part. */
  interface Candidacy {
    /**
     * Makes the leader known to those who follow the component. Ignored where the token is no
     * longer the leading one.
     */
    void confirm(LeaderToken token, Address address);

    boolean leads(LeaderToken token);

    /** Takes part no longer; gives up leadership without being told {@code revoked}. */
    void withdraw();
  }
}
