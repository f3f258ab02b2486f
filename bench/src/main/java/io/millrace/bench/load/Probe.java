package io.millrace.bench.load;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Measures a work whose tasks run in two processes of this machine. When both are warm, each
 * measures itself, stops its sources and writes its figures to a directory. Sources and sinks write
 * their record counts there.
 */
public final class Probe implements Serializable {
  private static final long serialVersionUID = 1L;

  /** Measures nothing: the work runs in one process, which is measured from outside. */
  public static final Probe NONE = new Probe("", 0, 0);

  private static final int PROCESSES = 2;

  private static boolean begun;

  private final String directory;
  private final int warmUpSeconds;
  private final int measureSeconds;

  /**
   * @param directory the directory for the figures
   * @param warmUpSeconds core-seconds of each process before it measures
   */
  public Probe(String directory, int warmUpSeconds, int measureSeconds) {
    this.directory = directory;
    this.warmUpSeconds = warmUpSeconds;
    this.measureSeconds = measureSeconds;
  }

  /** Called when a source of this process is ready. */
  public void begin() {
    synchronized (Probe.class) {
      if (directory.isEmpty() || begun) {
        return;
      }
      begun = true;
    }
    Thread thread = new Thread(this::measure, "probe");
    thread.setDaemon(true);
    thread.start();
  }

  private void measure() {
    try {
      Cpu.warmUp(warmUpSeconds);
      write("warm-" + ProcessHandle.current().pid(), "");
      awaitAllWarm();
      Cpu cpu = new Cpu();
      long before = RecordMeter.in();
      long start = System.nanoTime();
      double[] perCore = new double[measureSeconds];
      long lastIn = before;
      double lastCpu = 0;
      for (int i = 0; i < measureSeconds; i++) {
        Thread.sleep(1000);
        long in = RecordMeter.in();
        perCore[i] = (in - lastIn) / Math.max(1e-3, cpu.ownSeconds() - lastCpu);
        lastCpu = cpu.ownSeconds();
        lastIn = in;
      }
      Arrays.sort(perCore);
      double seconds = (System.nanoTime() - start) / 1e9;
      double records = RecordMeter.in() - before;
      RecordMeter.stop = true;
      write(
          "process-" + ProcessHandle.current().pid(),
          String.join(
              " ",
              String.valueOf(records / seconds),
              String.valueOf(cpu.ownCores()),
              String.valueOf(cpu.otherCores()),
              String.valueOf(Memory.rssMb()),
              String.valueOf(perCore[measureSeconds * 9 / 10])));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void awaitAllWarm() throws InterruptedException {
    while (Path.of(directory).toFile().list((in, name) -> name.startsWith("warm-")).length
        < PROCESSES) {
      Thread.sleep(20);
    }
  }

  public void sent(int instance, long records) {
    write("in-" + instance, String.valueOf(records));
  }

  public void received(int instance, long records) {
    write("out-" + instance, String.valueOf(records));
  }

  private void write(String name, String figures) {
    if (directory.isEmpty()) {
      return;
    }
    try {
      Files.writeString(Path.of(directory, name), figures);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Aggregates the figures of the processes. */
  public static void collect(Path directory, JsonLine json) throws IOException {
    List<double[]> processes = read(directory, "process-");
    json.put("recordsPerS", processes.stream().mapToDouble(p -> p[0]).sum())
        .put("ownCores", processes.stream().mapToDouble(p -> p[1]).sum())
        // The other cores of one process include those of the second process.
        .put(
            "otherCores",
            Math.max(
                0,
                processes.stream().mapToDouble(p -> p[1] + p[2]).average().orElse(0)
                    - processes.stream().mapToDouble(p -> p[1]).sum()))
        .put("rssMb", processes.stream().mapToDouble(p -> p[3]).sum())
        .put("p90PerCoreSecond", processes.stream().mapToDouble(p -> p[4]).average().orElse(0))
        .put("processes", processes.size())
        .put("in", sum(directory, "in-"))
        .put("out", sum(directory, "out-"));
  }

  private static long sum(Path directory, String prefix) throws IOException {
    return read(directory, prefix).stream().mapToLong(figures -> (long) figures[0]).sum();
  }

  private static List<double[]> read(Path directory, String prefix) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith(prefix))
          .sorted()
          .map(Probe::figures)
          .toList();
    }
  }

  private static double[] figures(Path file) {
    try {
      return Stream.of(Files.readString(file).split(" "))
          .mapToDouble(Double::parseDouble)
          .toArray();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
