package io.millrace.bench.works;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalInt;

/**
 * Runs works on Millrace and its peers in turn: {@code Bench [--repeats N] [--peers flink,jet]
 * WORK…}.
 *
 * <p>Each run starts new processes. The report compares medians and contains the CPU use of other
 * processes, because the machines are shared.
 */
public final class Bench {
  private static final List<String> PEERS = List.of("flink", "jet");

  private Bench() {}

  /** The parsed arguments. */
  private record Request(
      int repeats,
      int warmUp,
      int measure,
      OptionalInt stateMegabytes,
      OptionalInt jobs,
      OptionalInt millionRecords,
      List<String> peers,
      List<Work> works) {

    static Request of(String[] arguments) {
      int repeats = 5;
      int warmUp = 12;
      int measure = 15;
      OptionalInt state = OptionalInt.empty();
      OptionalInt jobs = OptionalInt.empty();
      OptionalInt records = OptionalInt.empty();
      List<String> peers = PEERS;
      List<Work> works = new ArrayList<>();
      for (int i = 0; i < arguments.length; i++) {
        if (!arguments[i].startsWith("-")) {
          works.add(Work.named(arguments[i]));
          continue;
        }
        if (i + 1 == arguments.length) {
          throw new IllegalArgumentException(arguments[i] + " needs a value");
        }
        String value = arguments[++i];
        switch (arguments[i - 1]) {
          case "--repeats" -> repeats = number(value);
          case "--warmup" -> warmUp = number(value);
          case "--measure" -> measure = number(value);
          case "--state-mb" -> state = OptionalInt.of(number(value));
          case "--jobs" -> jobs = OptionalInt.of(number(value));
          case "--million-records" -> records = OptionalInt.of(number(value));
          case "--peers" -> peers = value.equals("none") ? List.of() : peers(value);
          default -> throw new IllegalArgumentException("There is no option " + arguments[i - 1]);
        }
      }
      if (works.isEmpty()) {
        throw new IllegalArgumentException("Name a work; `tools/bench` lists them");
      }
      return new Request(repeats, warmUp, measure, state, jobs, records, peers, works);
    }

    private static int number(String value) {
      if (!value.matches("[1-9]\\d{0,4}")) {
        throw new IllegalArgumentException("Not a number >= 1: " + value);
      }
      return Integer.parseInt(value);
    }

    private static List<String> peers(String value) {
      List<String> peers = List.of(value.split(","));
      for (String peer : peers) {
        if (!PEERS.contains(peer)) {
          throw new IllegalArgumentException(
              "There is no peer " + peer + ", but " + String.join(", ", PEERS) + ", or none");
        }
      }
      return peers;
    }
  }

  public static void main(String[] arguments) throws Exception {
    Request request;
    try {
      request = Request.of(arguments);
    } catch (IllegalArgumentException e) {
      System.err.println("bench: " + e.getMessage());
      System.exit(2);
      return;
    }
    Path root = Path.of(System.getProperty("bench.root")).toAbsolutePath();
    Engines engines =
        new Engines(
            root,
            request.warmUp,
            request.measure,
            request.stateMegabytes,
            request.jobs,
            request.millionRecords);
    List<String> rows = new ArrayList<>();
    for (Work work : request.works) {
      BenchReport report = run(work, request, engines);
      write(report, engines);
      rows.addAll(report.rows());
    }
    System.out.println(BenchReport.TABLE_HEAD);
    rows.forEach(System.out::println);
  }

  private static BenchReport run(Work work, Request request, Engines engines)
      throws IOException, InterruptedException {
    List<String> contestants = new ArrayList<>(List.of("millrace"));
    contestants.addAll(request.peers.stream().filter(work::runsOn).toList());
    Map<String, List<Map<String, Double>>> figures = new LinkedHashMap<>();
    contestants.forEach(contestant -> figures.put(contestant, new ArrayList<>()));
    for (int i = 0; i < request.repeats; i++) {
      for (String contestant : contestants) {
        String about = work.shortName() + " " + (i + 1) + "/" + request.repeats + " " + contestant;
        Progress progress = new Progress(about);
        Map<String, Double> run;
        try {
          run = work.run(contestant, engines);
        } finally {
          progress.stop();
        }
        figures.get(contestant).add(run);
        System.out.println(about + " " + run);
      }
      // The order alternates, because a run leaves caches and clock rates of the machine changed.
      Collections.rotate(contestants, 1);
    }
    return new BenchReport(work, figures);
  }

  private static void write(BenchReport report, Engines engines) throws IOException {
    System.out.println(report.table());
    Path results = Files.createDirectories(engines.root().resolve("bench/results"));
    String name =
        report.work().shortName().toLowerCase(Locale.ROOT) + "-" + LocalDate.now(ZoneOffset.UTC);
    Path file = results.resolve(name + ".json");
    Files.writeString(file, report.json());
    Path plot = results.resolve(name + ".svg");
    Files.writeString(plot, new Plot(report).svg());
    System.out.println("Raw figures: " + file + ", plot: " + plot);
  }

  /** Prints the current run, and its duration at intervals. */
  private static final class Progress {
    private static final Duration EVERY = Duration.ofSeconds(10);

    private final Thread thread;

    Progress(String about) {
      System.err.println(about + " …");
      thread =
          new Thread(
              () -> {
                try {
                  for (long seconds = EVERY.toSeconds(); ; seconds += EVERY.toSeconds()) {
                    Thread.sleep(EVERY.toMillis());
                    System.err.println(about + " … " + seconds + " s");
                  }
                } catch (InterruptedException e) {
                  Thread.currentThread().interrupt();
                }
              },
              "progress");
      thread.setDaemon(true);
      thread.start();
    }

    void stop() {
      thread.interrupt();
    }
  }
}
