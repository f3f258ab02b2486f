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

/** Runs a process, reads its output, and kills it if it hangs. */
final class ForkedRun {
  private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

  private final Duration stall;
  private final Duration most;

  /**
   * @param code the exit code; meaningless if the process was killed
   * @param hung whether it was killed because it printed nothing for too long, or took too long
   */
  record Ended(List<String> lines, int code, boolean hung) {}

  /**
   * @param stall the maximum time without output
   * @param most the maximum time in all
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
    Thread reader = new Thread(() -> read(process, lines, lastLine), "output-reader");
    reader.start();
    long begin = System.nanoTime();
    boolean hung = false;
    try {
      while (!process.waitFor(POLL_INTERVAL.toMillis(), TimeUnit.MILLISECONDS)) {
        long now = System.nanoTime();
        if (now - lastLine.get() > stall.toNanos() || now - begin > most.toNanos()) {
          hung = true;
          process.destroyForcibly();
        }
      }
      // The last output is read before the stream is closed.
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
      // The stream of a killed process breaks; the lines before are kept.
      lines.add(e.toString());
    }
  }
}
