package io.millrace.cluster;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.OptionalInt;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs the shutdown hooks of the JVM so that they can be abandoned while they hang. The JVM then
 * ends with the code of {@code System.exit} or of its signal. Only the thread that ends the JVM has
 * this code, and it waits for the hooks. Java has no API to limit this wait, so this class replaces
 * an entry of {@code java.lang.Shutdown}, which requires {@link #OPTION}.
 */
final class ShutdownHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownHooks.class);

  /** The JVM option that allows to abandon hooks. */
  static final String OPTION = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** The index in {@code java.lang.Shutdown} of the hooks of {@code Runtime.addShutdownHook}. */
  private static final int APPLICATION_HOOKS = 1;

  /** Hooks that cannot be abandoned. */
  static final ShutdownHooks NONE = new ShutdownHooks(false);

  private final CountDownLatch over = new CountDownLatch(1);
  private final boolean abandonable;

  /** Written before the hooks start. */
  private volatile OptionalInt exitStatus = OptionalInt.empty();

  private ShutdownHooks(boolean abandonable) {
    this.abandonable = abandonable;
  }

  boolean isAbandonable() {
    return abandonable;
  }

  /**
   * Replaces the runner of the hooks. At least one hook must be registered already.
   *
   * @return {@link #NONE} if this JVM does not allow it
   */
  static ShutdownHooks install() {
    try {
      Class<?> shutdown = Class.forName("java.lang.Shutdown");
      Field field = shutdown.getDeclaredField("hooks");
      field.setAccessible(true);
      Runnable[] hooks = (Runnable[]) field.get(null);
      ShutdownHooks installed = new ShutdownHooks(true);
      // The thread that ends the JVM takes this lock before it reads the hooks.
      synchronized (shutdown) {
        Runnable ofApplication = hooks[APPLICATION_HOOKS];
        hooks[APPLICATION_HOOKS] = () -> installed.run(ofApplication);
      }
      return installed;
    } catch (ReflectiveOperationException | InaccessibleObjectException | ClassCastException e) {
      LOG.debug("Hanging shutdown hooks cannot be abandoned without {}", OPTION, e);
      return NONE;
    }
  }

  /** The status with which the JVM ends, for hooks; empty if this JVM does not allow to read it. */
  OptionalInt exitStatus() {
    return exitStatus;
  }

  /** Lets the JVM end although hooks still run. */
  void abandon() {
    if (!abandonable) {
      throw new IllegalStateException("These shutdown hooks cannot be abandoned");
    }
    over.countDown();
  }

  private void run(Runnable hooks) {
    exitStatus = RequestedExitStatus.ofThisThread();
    Thread runner =
        new Thread(
            () -> {
              try {
                hooks.run();
              } finally {
                over.countDown();
              }
            },
            "shutdown-hooks");
    runner.setDaemon(true);
    runner.start();
    boolean interrupted;
    do {
      interrupted = false;
      try {
        over.await();
      } catch (InterruptedException e) {
        // The wait of the JVM for hooks cannot be interrupted either.
        interrupted = true;
      }
    } while (interrupted);
  }
}
