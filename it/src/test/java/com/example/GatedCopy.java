package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.core.config.RuntimeMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Copies the lines of the files of a directory. At the first line it creates a file {@code reached}
 * and waits for a file {@code gate} in the gate directory. It reads further files and writes the
 * copy after that.
 */
public final class GatedCopy {
  private GatedCopy() {}

  /** Arguments: the source directory, the target directory and the gate directory. */
  public static void main(String[] args) {
    String gate = args[2];
    StreamEnvironment env =
        StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH).parallelism(1);
    env.readText(args[0]).map(line -> waitAt(line, Path.of(gate))).sinkTo(TextFileSink.to(args[1]));
    env.execute("gated copy");
  }

  private static String waitAt(String line, Path directory)
      throws IOException, InterruptedException {
    if (!Files.exists(directory.resolve("reached"))) {
      Files.writeString(directory.resolve("reached"), "");
    }
    while (!Files.exists(directory.resolve("gate"))) {
      Thread.sleep(20);
    }
    return line;
  }
}
