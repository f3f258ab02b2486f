package io.millrace.cluster.process;

import io.millrace.control.driver.process.SupervisorLoop;
import java.time.Duration;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The single thread that starts and ends processes. */
final class DriverThread implements SupervisorLoop {
  private final ScheduledThreadPoolExecutor thread =
      new ScheduledThreadPoolExecutor(
          1,
          work -> {
            Thread created = new Thread(work, "process-driver");
            created.setDaemon(true);
            return created;
          },
          // Exits of processes after the driver has stopped are ignored.
          new ThreadPoolExecutor.DiscardPolicy());

  DriverThread() {
    thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
  }

  @Override
  public void execute(Runnable work) {
    thread.execute(work);
  }

  @Override
  public void schedule(Duration delay, Runnable work) {
    thread.schedule(work, delay.toMillis(), TimeUnit.MILLISECONDS);
  }

  @Override
  public void close() {
    thread.shutdown();
  }
}
