package io.millrace.yarn.master;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.slf4j.LoggerFactory;

/** Switches off the log of {@link ContainerAllocator}: random runs would write for a long time. */
final class SilencedLog {
  private SilencedLog() {}

  static void during(Runnable runs) {
    Logger logger = (Logger) LoggerFactory.getLogger(ContainerAllocator.class);
    Level before = logger.getLevel();
    logger.setLevel(Level.OFF);
    try {
      runs.run();
    } finally {
      logger.setLevel(before);
    }
  }
}
