package io.millrace.connector.kafka;

import java.io.IOException;
import kafka.Kafka;
import kafka.tools.StorageTool;

/**
 * The main class of a broker's process: {@code CONFIGURATION CLUSTER}. Formats the directory of the
 * broker where it is new, and ends with the process that started it.
 */
public final class KafkaBrokerProcess {
  private KafkaBrokerProcess() {}

  public static void main(String[] args) {
    Thread watcher = new Thread(KafkaBrokerProcess::endWithParent, "parent");
    watcher.setDaemon(true);
    watcher.start();
    int failed =
        StorageTool.execute(
            new String[] {"format", "-c", args[0], "-t", args[1], "--ignore-formatted"},
            System.out);
    if (failed != 0) {
      Runtime.getRuntime().halt(failed);
    }
    Kafka.main(new String[] {args[0]});
  }

  private static void endWithParent() {
    try {
      while (System.in.read() >= 0) {
        // Nothing is sent.
      }
    } catch (IOException e) {
      System.out.println("The input is lost: " + e);
    }
    Runtime.getRuntime().halt(1);
  }
}
