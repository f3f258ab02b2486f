package io.millrace.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;

/** The command {@code tools/soak}. */
public final class Soak {
  private static final String USAGE =
      """
      Usage: tools/soak [--minutes M] [--seed S] [--faults N] [--backend hashmap|rocksdb] [--unaligned]
                        [--rate R] [--dir DIR] [-D KEY=VALUE]...
      Runs a job with state on a cluster of processes and kills, freezes and disconnects them, fills the
      disk of the checkpoints, and stops and resumes the job. Then verifies each result of the job.
        --minutes M   How long faults are injected. Default: 2.
        --seed S      Decides the faults. Default: the time.
        --faults N    Ends after this many faults, too.
        --backend B   State backend of the job. Default: that of the engine.
        --unaligned   Barriers overtake records.
        --rate R      Generated records per second. Default: 2000.
        --dir DIR     Where everything is written. Default: a new temporary directory. It is deleted
                      unless something is wrong.
        -D KEY=VALUE  Further options of the job.
      Exit code: 0 if each result is right, 1 if not, 2 for a wrong command line.""";

  private Soak() {}

  public static void main(String[] args) throws IOException, InterruptedException {
    SoakSettings settings;
    try {
      settings = parse(args);
    } catch (IllegalArgumentException e) {
      System.err.println("soak: " + e.getMessage());
      System.err.println(USAGE);
      System.exit(2);
      return;
    }
    int code = 0;
    SoakRun run = new SoakRun(settings, System.out);
    Thread abort = new Thread(() -> abort(run), "abort");
    Runtime.getRuntime().addShutdownHook(abort);
    try {
      run.run();
      SoakRun.delete(settings.directory());
    } catch (SoakException e) {
      System.out.println("WRONG: " + e.getMessage());
      System.out.println(
          "Seed " + settings.budget().seed() + "; evidence is in " + settings.directory());
      code = 1;
    }
    Runtime.getRuntime().removeShutdownHook(abort);
    System.exit(code);
  }

  private static void abort(SoakRun run) {
    try {
      run.abort();
    } catch (IOException | InterruptedException e) {
      System.err.println("soak: processes or mounts may be left: " + e);
    }
  }

  private static SoakSettings parse(String[] args) throws IOException {
    double minutes = 2;
    long seed = System.currentTimeMillis();
    int faults = Integer.MAX_VALUE;
    int rate = 2_000;
    Path directory = null;
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < args.length; i++) {
      String option = args[i];
      if (option.equals("--help") || option.equals("-h")) {
        System.out.println(USAGE);
        System.exit(0);
      }
      if (option.equals("--unaligned")) {
        options.put("execution.checkpointing.unaligned.enabled", "true");
        continue;
      }
      if (i + 1 == args.length) {
        throw new IllegalArgumentException(
            "There is no option " + option + ", or it needs a value");
      }
      String value = args[++i];
      switch (option) {
        case "--minutes" -> minutes = Double.parseDouble(value);
        case "--seed" -> seed = Long.parseLong(value);
        case "--faults" -> faults = Integer.parseInt(value);
        case "--rate" -> rate = Integer.parseInt(value);
        case "--backend" -> options.put("state.backend.type", value);
        case "--dir" -> directory = Files.createDirectories(Path.of(value).toAbsolutePath());
        case "-D" -> options.put(value.split("=", 2)[0], value.split("=", 2)[1]);
        default -> throw new IllegalArgumentException("There is no option " + option);
      }
    }
    return new SoakSettings(
        new FaultBudget(Duration.ofMillis((long) (minutes * 60_000)), faults, seed),
        rate,
        Path.of(System.getProperty("soak.home")).toAbsolutePath(),
        directory != null ? directory : Files.createTempDirectory("millrace-soak-"),
        options,
        Map.of());
  }
}
