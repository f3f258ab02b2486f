package io.millrace.dataplane.operator;

/** An operator through which records leave the task and which may have no room for them. */
public abstract class TaskOutput extends StreamOperator {
  protected final TaskEnvironment task;
  private boolean full;

  protected TaskOutput(TaskEnvironment task) {
    this.task = task;
  }

  /** The number of subtasks that records can go to. */
  public abstract int consumers();

  /** Sends complete batches as far as there is room. */
  public abstract void retry();

  /** Completes the open batches and sends them as far as there is room. */
  public abstract void flush();

  /** Whether the overflow is used up, so that an emit has to block. */
  public abstract boolean isOverrun();

  /** Sends a control element to all consumers, after all records that were processed so far. */
  public abstract void control(ControlElement control);

  /** Cancels its timers. */
  @Override
  public void close() {}

  /** Whether this output has no room. */
  protected final boolean isFull() {
    return full;
  }

  /** Notes whether this output has room; the task counts its full outputs. */
  protected final void full(boolean now) {
    if (full != now) {
      full = now;
      task.outputFull(now);
    }
  }
}
