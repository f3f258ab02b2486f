package io.millrace.control.driver.process;

import java.time.Duration;

/**
 * Runs what is given to it one after the other, where it may block. A simulation seam. What is
 * given to it after it was closed does not run.
 */
public interface SupervisorLoop {
  void execute(Runnable work);

  void schedule(Duration delay, Runnable work);

  void close();
}
