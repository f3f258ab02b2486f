package io.millrace.control.driver.process;

import java.time.Duration;

/**
 * Runs tasks one after the other; they may block. Tasks that are submitted after {@link #close} do
 * not run. A simulation seam.
 */
public interface SupervisorLoop {
  void execute(Runnable work);

  void schedule(Duration delay, Runnable work);

  void close();
}
