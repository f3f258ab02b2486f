package io.millrace.dataplane;

/** A stage through which records leave the task and which may have no room for them. */
abstract class TaskOutput extends StreamOperator {
  final Task task;
  private boolean full;

  TaskOutput(Task task) {
    this.task = task;
  }

  /** Sends what is ready, as far as there is room. */
  abstract void retry();

  /** Makes everything ready that was kept back to fill a batch, and sends it if there is room. */
  abstract void flush();

  /** Whether an emit has to block because even the overflow is used up. */
  abstract boolean isOverrun();

  /** Sends a control element to all consumers, behind everything pushed so far. */
  abstract void control(ControlElement control);

  /** Lets go of what it waits for. */
  @Override
  void close() {}

  final void full(boolean now) {
    if (full != now) {
      full = now;
      task.fullOutputs += now ? 1 : -1;
    }
  }
}
