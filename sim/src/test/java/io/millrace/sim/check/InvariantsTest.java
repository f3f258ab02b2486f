package io.millrace.sim.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Array;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class InvariantsTest {
  private final List<String> shown = new ArrayList<>();

  /** Overrides the methods of all kinds of facts. */
  private final class WantsAll extends Invariant {
    WantsAll() {
      super("A rule about all facts.");
    }

    private void note(Fact fact) {
      shown.add("all " + fact.getClass().getSimpleName());
    }

    @Override
    protected void taskDeployed(Fact.TaskDeployed fact) {
      note(fact);
    }

    @Override
    protected void taskEnded(Fact.TaskEnded fact) {
      note(fact);
    }

    @Override
    protected void sent(Fact.Sent fact) {
      note(fact);
    }

    @Override
    protected void called(Fact.Called fact) {
      note(fact);
    }

    @Override
    protected void answered(Fact.Answered fact) {
      note(fact);
    }

    @Override
    protected void heard(Fact.Heard fact) {
      note(fact);
    }

    @Override
    protected void connectionLost(Fact.ConnectionLost fact) {
      note(fact);
    }

    @Override
    protected void decided(Fact.Decided fact) {
      note(fact);
    }

    @Override
    protected void stored(Fact.Stored fact) {
      note(fact);
    }

    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted fact) {
      note(fact);
    }

    @Override
    protected void stateRestored(Fact.StateRestored fact) {
      note(fact);
    }

    @Override
    protected void stateUnreadable(Fact.StateUnreadable fact) {
      note(fact);
    }

    @Override
    protected void committed(Fact.Committed fact) {
      note(fact);
    }

    @Override
    protected void granted(Fact.Granted fact) {
      note(fact);
    }

    @Override
    protected void revoked(Fact.Revoked fact) {
      note(fact);
    }

    @Override
    protected void died(Fact.Died fact) {
      note(fact);
    }

    @Override
    protected void workerRequested(Fact.WorkerRequested fact) {
      note(fact);
    }

    @Override
    protected void workerReleased(Fact.WorkerReleased fact) {
      note(fact);
    }

    @Override
    protected void workerEndReported(Fact.WorkerEndReported fact) {
      note(fact);
    }

    @Override
    protected void startFailureReported(Fact.StartFailureReported fact) {
      note(fact);
    }

    @Override
    protected void drainingReported(Fact.DrainingReported fact) {
      note(fact);
    }

    @Override
    protected void contenderRemoved(Fact.ContenderRemoved fact) {
      note(fact);
    }

    @Override
    protected void sessionTimedOut(Fact.SessionTimedOut fact) {
      note(fact);
    }

    @Override
    protected void storeTakenOver(Fact.StoreTakenOver fact) {
      note(fact);
    }

    @Override
    protected void nodesChanged(Fact.NodesChanged fact) {
      note(fact);
    }
  }

  /** Overrides two methods, one of them in its superclass. */
  private class WantsReleases extends Invariant {
    WantsReleases() {
      super("A rule about releases.");
    }

    @Override
    protected void workerReleased(Fact.WorkerReleased fact) {
      shown.add("release " + fact.worker());
    }
  }

  private final class WantsReleasesAndEvents extends WantsReleases {
    @Override
    protected void checkpointDeleted(Fact.CheckpointDeleted fact) {
      shown.add("deletion " + fact.path());
    }

    @Override
    protected void afterEvent() {
      shown.add("event");
    }
  }

  @Test
  void showsEachKindOfFactToTheMethodForIt() throws Exception {
    for (Class<?> kind : Fact.class.getPermittedSubclasses()) {
      shown.clear();
      Invariant rule = new WantsAll();
      new Invariants(null, List.of(rule)).seen(anyOf(kind));
      assertThat(shown).containsExactly("all " + kind.getSimpleName());
    }
  }

  @Test
  void showsFactsInTheOrderOfTheListToThoseThatOverrideTheirMethod() {
    Invariants invariants =
        new Invariants(
            null, List.of(new WantsReleasesAndEvents(), new WantsAll(), new WantsReleases()));
    invariants.seen(new Fact.WorkerReleased("w"));
    invariants.seen(new Fact.CheckpointDeleted("c"));
    invariants.afterEvent();
    assertThat(shown)
        .containsExactly(
            "release w",
            "all WorkerReleased",
            "release w",
            "deletion c",
            "all CheckpointDeleted",
            "event");
  }

  @Test
  void subscribesOnlyToOverriddenMethods() {
    Invariant releases = new WantsReleases();
    Invariant both = new WantsReleasesAndEvents();
    assertThat(wanted(releases)).containsExactly(Fact.WorkerReleased.class);
    assertThat(wanted(both))
        .containsExactlyInAnyOrder(Fact.WorkerReleased.class, Fact.CheckpointDeleted.class);
    assertThat(releases.checksAfterEvents()).isFalse();
    assertThat(both.checksAfterEvents()).isTrue();
  }

  private static List<Class<?>> wanted(Invariant invariant) {
    List<Class<?>> wanted = new ArrayList<>();
    for (Class<?> kind : Fact.class.getPermittedSubclasses()) {
      if (invariant.wants(kind.asSubclass(Fact.class))) {
        wanted.add(kind);
      }
    }
    return wanted;
  }

  /** A fact of this kind without content. */
  private static Fact anyOf(Class<?> kind) throws Exception {
    Constructor<?> constructor = kind.getDeclaredConstructors()[0];
    Object[] nothing =
        Arrays.stream(constructor.getParameterTypes())
            // An array of a primitive type begins with its default value.
            .map(type -> type.isPrimitive() ? Array.get(Array.newInstance(type, 1), 0) : null)
            .toArray();
    return (Fact) constructor.newInstance(nothing);
  }
}
