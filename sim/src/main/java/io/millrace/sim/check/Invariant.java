package io.millrace.sim.check;

import java.util.Arrays;

/**
 * Something that holds whatever happens. It is told every {@link Fact} at the moment in which it
 * becomes one and may look at the world after every event; it remembers what it needs for that.
 */
public abstract class Invariant {
  /** Whether a class has more than the empty {@link #afterEvent} of this one. */
  private static final ClassValue<Boolean> LOOKS =
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
   * @param sentence what holds, for people
   */
  protected Invariant(String sentence) {
    this.sentence = sentence;
  }

  public final String sentence() {
    return sentence;
  }

  final void in(SimulatedWorld where) {
    world = where;
  }

  /** The world it is about. */
  protected final SimulatedWorld world() {
    return world;
  }

  /** Something has happened. */
  protected void seen(Fact fact) {}

  /** An event is over. */
  protected void afterEvent() {}

  /** Whether it does anything after events, so that the others need not be asked. */
  final boolean looks() {
    return LOOKS.get(getClass());
  }

  /** It has been calm for long enough: jobs run or have ended, messages have arrived. */
  protected void settled(SimulatedWorld.Story story) {}

  /** All jobs have ended, and that long ago. */
  protected void over(SimulatedWorld.Story story) {}

  protected final Broken broken(String how) {
    return new Broken(sentence, how);
  }

  /** An invariant does not hold. */
  public static final class Broken extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String sentence;

    public Broken(String sentence, String how) {
      super(how);
      this.sentence = sentence;
    }

    /** What should have held. */
    public String sentence() {
      return sentence;
    }
  }
}
