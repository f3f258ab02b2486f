package io.millrace.sim.cluster;

import io.millrace.rpc.LeaderToken;
import io.millrace.rpc.Mailbox;
import io.millrace.rpc.leader.LeaderElection;
import io.millrace.sim.SimProcess;
import io.millrace.sim.check.Fact;
import java.util.Optional;
import java.util.function.Consumer;

/** An election whose grants and revocations become facts. */
record ObservedElection(SimProcess process, LeaderElection real, Consumer<Fact> facts)
    implements LeaderElection {
  @Override
  public Candidacy contend(String component, Mailbox mailbox, Contender contender) {
    return real.contend(
        component,
        mailbox,
        new Contender() {
          private Optional<LeaderToken> leading = Optional.empty();

          @Override
          public void granted(LeaderToken token) {
            leading = Optional.of(token);
            facts.accept(new Fact.Granted(process, component, token));
            contender.granted(token);
          }

          @Override
          public void revoked() {
            leading.ifPresent(token -> facts.accept(new Fact.Revoked(process, component, token)));
            leading = Optional.empty();
            contender.revoked();
          }
        });
  }
}
