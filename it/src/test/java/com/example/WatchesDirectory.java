package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.TextFileSink;
import io.millrace.api.source.TextFileSource;
import io.millrace.core.MemorySize;
import java.time.Duration;

/** Copies the lines of all files that are or will be in a directory. */
public final class WatchesDirectory {
  private WatchesDirectory() {}

  /** Arguments: the source directory and the target directory. */
  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.configure("execution.checkpointing.interval", "200 ms");
    env.configure("restart-strategy.type", "fixed-delay");
    env.configure("restart-strategy.fixed-delay.attempts", "1000");
    env.configure("restart-strategy.fixed-delay.delay", "100 ms");
    env.fromSource(
            TextFileSource.of(args[0])
                .monitor(Duration.ofMillis(50))
                .splitSize(new MemorySize(1000)),
            "watched")
        .uid("watched")
        .rebalance()
        .map(line -> line)
        .sinkTo(TextFileSink.to(args[1]))
        .uid("copies");
    env.execute("watched directory");
  }
}
