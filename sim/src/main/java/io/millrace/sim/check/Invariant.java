package io.millrace.sim.check;

import java.util.Arrays;

/**
 * A property that holds in every run. An invariant gets each {@link Fact} when it happens and may
 * inspect the world after each event. It keeps the state that this needs.
 */
public abstract class Invariant {
  /** Whether a class overrides the empty {@link #afterEvent}. */
  private static final ClassValue<Boolean> OVERRIDES_AFTER_EVENT =
      new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
          return Arrays.stream(type.getDeclaredMethods())
              .anyMatch(method -> method.getName().equals("afterEvent"));
        }
      };

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

  /** A fact has happened. */
  protected void seen(Fact fact) {}

  /** The simulation has processed one event. */
  protected void afterEvent() {}

  /** Whether {@link #afterEvent} does anything; invariants without it are skipped. */
  final boolean checksAfterEvents() {
    return OVERRIDES_AFTER_EVENT.get(getClass());
  }

  /** The cluster has been calm for long enough: jobs run or have ended, messages have arrived. */
  protected void settled(SimulatedWorld.ClusterReport report) {}

  /** All jobs have ended, and the time for their clean-up is over. */
  protected void over(SimulatedWorld.ClusterReport report) {}

  protected final Broken broken(String how) {
    return new Broken(sentence, how);
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
