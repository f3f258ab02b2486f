package io.millrace.cluster;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.UncaughtException;
import io.millrace.core.error.Failure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What ends a process at once, without stopping its services: what runs on could do harm. */
final class FatalExitExceptionHandler implements Thread.UncaughtExceptionHandler {
  private static final Logger LOG = LoggerFactory.getLogger(FatalExitExceptionHandler.class);

  private final String process;
  private final UncaughtException policy;
  private final Runnable halt;

  FatalExitExceptionHandler(String process, Configuration configuration) {
    this(
        process,
        configuration.get(ClusterOptions.UNCAUGHT_EXCEPTION_HANDLING),
        () -> Runtime.getRuntime().halt(ExitCode.FATAL.code()));
  }

  /**
   * @param halt ends the process; hooks could hang in what has just broken
   */
  FatalExitExceptionHandler(String process, UncaughtException policy, Runnable halt) {
    this.process = process;
    this.policy = policy;
    this.halt = halt;
  }

  /** Decides from now on about exceptions that nobody catches. */
  void install() {
    Thread.setDefaultUncaughtExceptionHandler(this);
    LOG.info(
        "Fatal errors end the process with {}; an uncaught exception: {}",
        ExitCode.FATAL.code(),
        policy);
  }

  void end(Throwable cause) {
    try {
      LOG.error("{} cannot go on", process, cause);
      System.err.println(process + " cannot go on: " + Failure.sentence(Failure.unwrap(cause)));
    } finally {
      // Also when there is no memory left to log with.
      halt.run();
    }
  }

  @Override
  public void uncaughtException(Thread thread, Throwable thrown) {
    if (policy == UncaughtException.FAIL || isBeyondRepair(thrown)) {
      end(thrown);
    } else {
      LOG.error("Thread {} has ended", thread.getName(), thrown);
    }
  }

  /** A stack that overflowed is free again; memory that ran out is missing elsewhere, too. */
  private static boolean isBeyondRepair(Throwable thrown) {
    return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
  }
}
