package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.core.config.RuntimeMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Copies the lines of a directory's files to another place and waits with the first one until a
 * file {@code gate} is in a directory of its own; it says there that it has come to it. Whatever it
 * does to the further files and to the copy, it does after that.
 */
public final class GatedCopy {
  private GatedCopy() {}

  /** Arguments: from where, to where, and the gate's directory. */
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
