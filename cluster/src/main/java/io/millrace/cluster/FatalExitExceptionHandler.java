package io.millrace.cluster;

import io.millrace.core.config.ClusterOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.config.UncaughtException;
import io.millrace.core.error.Failure;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends the process at once after a fatal error, without stopping its services, because a process in
 * an undefined state could damage data.
 */
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
   * @param halt ends the process without shutdown hooks, which could hang after the error
   */
  FatalExitExceptionHandler(String process, UncaughtException policy, Runnable halt) {
    this.process = process;
    this.policy = policy;
    this.halt = halt;
  }

  /** Makes this the handler of all uncaught exceptions. */
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
      // Also if logging fails because the heap is exhausted.
      halt.run();
    }
  }

  @Override
  public void uncaughtException(Thread thread, Throwable thrown) {
    if (policy == UncaughtException.FAIL || isUnrecoverable(thrown)) {
      end(thrown);
    } else {
      LOG.error("Thread {} has ended", thread.getName(), thrown);
    }
  }

  /** After a stack overflow the stack is free again; an exhausted heap affects all threads. */
  private static boolean isUnrecoverable(Throwable thrown) {
    return thrown instanceof VirtualMachineError && !(thrown instanceof StackOverflowError);
  }
}
