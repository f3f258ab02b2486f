package io.millrace.sim.tool;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A process whose lines are read and which is ended where it hangs. */
final class ForkedRun {
  private static final Duration LOOK = Duration.ofMillis(200);

  private final Duration stall;
  private final Duration most;

  /**
   * @param code what the process ended with; of no meaning where it was ended
   * @param hung whether it was ended because it said nothing for too long, or took too long
   */
  record Ended(List<String> lines, int code, boolean hung) {}

  /**
   * @param stall how long it may say nothing
   * @param most how long it may take in all
   */
  ForkedRun(Duration stall, Duration most) {
    this.stall = stall;
    this.most = most;
  }

  Ended run(List<String> command, Path directory) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    List<String> lines = new ArrayList<>();
    AtomicLong lastLine = new AtomicLong(System.nanoTime());
    Thread reader = new Thread(() -> read(process, lines, lastLine), "trial");
    reader.start();
    long begin = System.nanoTime();
    boolean hung = false;
    try {
      while (!process.waitFor(LOOK.toMillis(), TimeUnit.MILLISECONDS)) {
        long now = System.nanoTime();
        if (now - lastLine.get() > stall.toNanos() || now - begin > most.toNanos()) {
          hung = true;
          process.destroyForcibly();
        }
      }
      // What it said last is read before its stream is closed.
      reader.join();
    } finally {
      process.destroyForcibly();
    }
    return new Ended(lines, process.exitValue(), hung);
  }

  private static void read(Process process, List<String> lines, AtomicLong lastLine) {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        lines.add(line);
        lastLine.set(System.nanoTime());
      }
    } catch (IOException e) {
      // What was read before counts: a process that is ended breaks its stream.
      lines.add(e.toString());
    }
  }
}
