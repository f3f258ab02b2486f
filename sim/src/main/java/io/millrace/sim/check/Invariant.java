package io.millrace.sim.check;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * A property that holds in every run. An invariant has one method for each kind of {@link Fact} and
 * may inspect the world after each event. It subscribes to a kind of fact, or to events, by
 * overriding the empty method here: it gets nothing else. It keeps the state that it needs.
 */
public abstract class Invariant {
  private static final String AFTER_EVENT = "afterEvent";

  /** The names of the methods for facts, by the kind of fact. */
  private static final Map<Class<?>, String> FACT_METHODS = factMethods();

  /** What a class of invariants subscribes to. */
  private static final ClassValue<Subscriptions> SUBSCRIPTIONS =
      new ClassValue<>() {
        @Override
        protected Subscriptions computeValue(Class<?> type) {
          return subscriptions(type);
        }
      };

  /**
   * The methods that a class overrides.
   *
   * @param facts the kinds of facts that it has methods for
   */
  private record Subscriptions(Set<Class<?>> facts, boolean events) {}

  private final String sentence;
  private SimulatedWorld world;

  /**
   * @param sentence the property in English
   */
  protected Invariant(String sentence) {
    this.sentence = sentence;
  }

  public final String sentence() {
    return sentence;
  }

  final void in(SimulatedWorld simulated) {
    world = simulated;
  }

  /** The world that this invariant checks. */
  protected final SimulatedWorld world() {
    return world;
  }

  protected void taskDeployed(Fact.TaskDeployed fact) {}

  protected void taskEnded(Fact.TaskEnded fact) {}

  protected void sent(Fact.Sent fact) {}

  protected void called(Fact.Called fact) {}

  protected void answered(Fact.Answered fact) {}

  protected void heard(Fact.Heard fact) {}

  protected void connectionLost(Fact.ConnectionLost fact) {}

  protected void decided(Fact.Decided fact) {}

  protected void stored(Fact.Stored fact) {}

  protected void checkpointDeleted(Fact.CheckpointDeleted fact) {}

  protected void stateRestored(Fact.StateRestored fact) {}

  protected void stateUnreadable(Fact.StateUnreadable fact) {}

  protected void committed(Fact.Committed fact) {}

  protected void granted(Fact.Granted fact) {}

  protected void revoked(Fact.Revoked fact) {}

  protected void contenderRemoved(Fact.ContenderRemoved fact) {}

  protected void sessionTimedOut(Fact.SessionTimedOut fact) {}

  protected void storeTakenOver(Fact.StoreTakenOver fact) {}

  protected void nodesChanged(Fact.NodesChanged fact) {}

  protected void died(Fact.Died fact) {}

  protected void workerRequested(Fact.WorkerRequested fact) {}

  protected void workerReleased(Fact.WorkerReleased fact) {}

  protected void workerEndReported(Fact.WorkerEndReported fact) {}

  protected void startFailureReported(Fact.StartFailureReported fact) {}

  protected void drainingReported(Fact.DrainingReported fact) {}

  /** The simulation has processed one event. */
  protected void afterEvent() {}

  /** Whether this invariant has a method for a kind of fact; it is not shown others. */
  final boolean wants(Class<? extends Fact> fact) {
    return SUBSCRIPTIONS.get(getClass()).facts().contains(fact);
  }

  /** Whether {@link #afterEvent} does anything; invariants without it are skipped. */
  final boolean checksAfterEvents() {
    return SUBSCRIPTIONS.get(getClass()).events();
  }

  /** The cluster has been calm for long enough: jobs run or have ended, messages have arrived. */
  protected void settled(SimulatedWorld.ClusterReport report) {}

  /** All jobs have ended, and the time for their clean-up is over. */
  protected void over(SimulatedWorld.ClusterReport report) {}

  protected final Broken broken(String how) {
    return new Broken(sentence, how);
  }

  private static Map<Class<?>, String> factMethods() {
    Map<Class<?>, String> methods = new HashMap<>();
    for (Method method : Invariant.class.getDeclaredMethods()) {
      Class<?>[] parameters = method.getParameterTypes();
      if (parameters.length == 1
          && Arrays.asList(Fact.class.getPermittedSubclasses()).contains(parameters[0])) {
        methods.put(parameters[0], method.getName());
      }
    }
    return methods;
  }

  private static Subscriptions subscriptions(Class<?> invariant) {
    Set<Class<?>> facts = new HashSet<>();
    boolean events = false;
    for (Class<?> type = invariant; type != Invariant.class; type = type.getSuperclass()) {
      for (Method method : type.getDeclaredMethods()) {
        Class<?>[] parameters = method.getParameterTypes();
        events |= parameters.length == 0 && method.getName().equals(AFTER_EVENT);
        if (parameters.length == 1 && method.getName().equals(FACT_METHODS.get(parameters[0]))) {
          facts.add(parameters[0]);
        }
      }
    }
    return new Subscriptions(facts, events);
  }

  /** Reports that an invariant does not hold. */
  public static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String sentence;

    public Broken(String sentence, String how) {
      super(how);
      this.sentence = sentence;
    }

    /** The property that is violated. */
    public String sentence() {
      return sentence;
    }
  }
}
