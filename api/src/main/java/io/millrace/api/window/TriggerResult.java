package io.millrace.api.window;

/** What happens to a window after a call of its {@link Trigger}. */
public enum TriggerResult {
  CONTINUE(false, false),
  /** The window function is called; the content stays. */
  FIRE(true, false),
  /** The content is removed. */
  PURGE(false, true),
  FIRE_AND_PURGE(true, true);

  private final boolean fires;
  private final boolean purges;

  TriggerResult(boolean fires, boolean purges) {
    this.fires = fires;
    this.purges = purges;
  }

  public boolean isFire() {
    return fires;
  }

  public boolean isPurge() {
    return purges;
  }
}
