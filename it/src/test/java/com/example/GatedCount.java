package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.core.config.RuntimeMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Counts a million numbers by their last digits. In the middle, with records in flight on every
 * channel, it creates a file {@code reached} and waits for a file {@code gate} in its directory.
 */
public final class GatedCount {
  private static final long NUMBERS = 1_000_000;
  private static final long MIDDLE = 700_000;

  private GatedCount() {}

  public static void main(String[] args) {
    String directory = args[0];
    StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);
    env.generate(index -> index, NUMBERS)
        .map(number -> waitAt(number, Path.of(directory)))
        .keyBy(number -> number % 1000)
        .count()
        .map(counted -> counted.key() + "\t" + counted.count())
        .sinkTo(TextFileSink.to(directory + "/counts"));
    env.execute("gated count");
  }

  private static long waitAt(long number, Path directory) throws IOException, InterruptedException {
    if (number == MIDDLE) {
      Files.writeString(directory.resolve("reached"), "");
    }
    while (number >= MIDDLE && !Files.exists(directory.resolve("gate"))) {
      Thread.sleep(20);
    }
    return number;
  }
}
