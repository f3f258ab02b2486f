package io.millrace.cluster;

import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The run of the JVM's shutdown hooks, which can be given up while hooks hang. The JVM then ends
 * with the code that {@code System.exit} was called with, or that stands for its signal. Only the
 * thread that ends the JVM knows that code, and it waits for the hooks. No interface of Java bounds
 * that wait, so this class replaces an entry of {@code java.lang.Shutdown}, which takes {@link
 * #OPTION}.
 */
final class ShutdownHooks {
  private static final Logger LOG = LoggerFactory.getLogger(ShutdownHooks.class);

  /** The option of a JVM in which hooks can be given up. */
  static final String OPTION = "--add-opens=java.base/java.lang=ALL-UNNAMED";

  /** Where {@code java.lang.Shutdown} has the hooks that {@code Runtime.addShutdownHook} takes. */
  private static final int APPLICATION_HOOKS = 1;

  private final CountDownLatch over = new CountDownLatch(1);

  private ShutdownHooks() {}

  /**
   * Takes over the run of the hooks. At least one has to be registered already.
   *
   * @return nothing where this JVM does not allow it
   */
  static Optional<ShutdownHooks> install() {
    try {
      Class<?> shutdown = Class.forName("java.lang.Shutdown");
      Field field = shutdown.getDeclaredField("hooks");
      field.setAccessible(true);
      Runnable[] hooks = (Runnable[]) field.get(null);
      ShutdownHooks installed = new ShutdownHooks();
      // The thread that ends the JVM takes this lock before it reads the hooks.
      synchronized (shutdown) {
        Runnable ofApplication = hooks[APPLICATION_HOOKS];
        hooks[APPLICATION_HOOKS] = () -> installed.run(ofApplication);
      }
      return Optional.of(installed);
    } catch (ReflectiveOperationException | InaccessibleObjectException | ClassCastException e) {
      LOG.debug("Hanging shutdown hooks cannot be given up without {}", OPTION, e);
      return Optional.empty();
    }
  }

  /** Has the JVM end although hooks still run. */
  void giveUp() {
    over.countDown();
  }

  private void run(Runnable hooks) {
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
        // The JVM's own wait for hooks cannot be interrupted either.
        interrupted = true;
      }
    } while (interrupted);
  }
}
