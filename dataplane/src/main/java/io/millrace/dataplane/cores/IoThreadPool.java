package io.millrace.dataplane.cores;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs work that may block on a bounded number of threads beside the cores. A thread exists while
 * there is work. Like all threads of the scheduler it is started from the timer thread, so that it
 * holds no class loader of a job.
 */
public final class IoThreadPool implements Executor {
  private static final Logger LOG = LoggerFactory.getLogger(IoThreadPool.class);

  private final CoreScheduler cores;
  private final int mostThreads;
  private final ArrayDeque<Runnable> queue = new ArrayDeque<>();
  private int threads;

  public IoThreadPool(CoreScheduler cores, int mostThreads) {
    this.cores = cores;
    this.mostThreads = mostThreads;
  }

  @Override
  public void execute(Runnable work) {
    synchronized (queue) {
      queue.add(work);
      if (threads == mostThreads) {
        return;
      }
      threads++;
    }
    cores.start(this::run);
  }

  private void run() {
    while (true) {
      Runnable work;
      synchronized (queue) {
        work = queue.poll();
        if (work == null) {
          threads--;
          return;
        }
      }
      try {
        work.run();
      } catch (Throwable thrown) {
        LOG.error("Work on an I/O thread failed", thrown);
      }
    }
  }
}
