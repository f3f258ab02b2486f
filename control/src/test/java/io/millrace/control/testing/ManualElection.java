package io.millrace.control.testing;

import io.millrace.rpc.Address;
import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.LeaderElection;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** An election with one contender, whose leadership the test grants and revokes. */
public final class ManualElection implements LeaderElection {
  public final List<String> confirmed = new ArrayList<>();
  public Optional<LeaderToken> leading = Optional.empty();
  public boolean withdrawn;
  private Optional<Mailbox> mailbox = Optional.empty();
  private Optional<Contender> contender = Optional.empty();

  @Override
  public Candidacy contend(String component, Mailbox mailbox, Contender contender) {
    this.mailbox = Optional.of(mailbox);
    this.contender = Optional.of(contender);
    return new Candidacy() {
      @Override
      public void confirm(LeaderToken token, Address address) {
        confirmed.add(token + " at " + address);
      }

      @Override
      public boolean leads(LeaderToken token) {
        return leading.equals(Optional.of(token));
      }

      @Override
      public void withdraw() {
        withdrawn = true;
      }
    };
  }

  public void grant(LeaderToken token) {
    leading = Optional.of(token);
    mailbox.orElseThrow().post(() -> contender.orElseThrow().granted(token));
  }

  public void revoke() {
    leading = Optional.empty();
    mailbox.orElseThrow().post(() -> contender.orElseThrow().revoked());
  }
}
