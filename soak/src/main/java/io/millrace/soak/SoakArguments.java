package io.millrace.soak;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.function.Function;

/** Reads the command line of {@code tools/soak}. */
final class SoakArguments {
  private static final double DEFAULT_MINUTES = 2;
  private static final double MOST_MINUTES = 100_000;
  private static final int MOST_OF_A_KIND = 10_000;
  private static final int MOST_JOBMANAGERS = 9;

  /** More than one fault of each kind takes. */
  private static final double MINUTES_OF_EACH = 6;

  private SoakArguments() {}

  /**
   * @param home the distribution
   * @throws IllegalArgumentException for a wrong command line, with a sentence for the user
   */
  static SoakSettings parse(String[] args, Path home) throws IOException {
    OptionalDouble minutes = OptionalDouble.empty();
    long seed = System.currentTimeMillis();
    int faults = Integer.MAX_VALUE;
    int each = 0;
    int jobManagers = 1;
    int rate = 2_000;
    Path directory = null;
    Map<String, String> options = new TreeMap<>();
    for (int i = 0; i < args.length; i++) {
      String option = args[i];
      if (option.equals("--unaligned")) {
        options.put("execution.checkpointing.unaligned.enabled", "true");
        continue;
      }
      if (option.equals("--adopt-tasks")) {
        options.put("execution.job-recovery.adopt-tasks.enabled", "true");
        options.put("execution.job-recovery.previous-worker.recovery.timeout", "30 s");
        continue;
      }
      if (i + 1 == args.length) {
        throw new IllegalArgumentException(
            "There is no option " + option + ", or it needs a value");
      }
      String value = args[++i];
      switch (option) {
        case "--minutes" -> {
          double given = number(option, value, Double::parseDouble);
          require(given > 0 && given <= MOST_MINUTES, option, value);
          minutes = OptionalDouble.of(given);
        }
        case "--seed" -> seed = number(option, value, Long::parseLong);
        case "--faults" -> {
          faults = number(option, value, Integer::parseInt);
          require(faults >= 0, option, value);
        }
        case "--each" -> {
          each = number(option, value, Integer::parseInt);
          require(each > 0 && each <= MOST_OF_A_KIND, option, value);
        }
        case "--jobmanagers" -> {
          jobManagers = number(option, value, Integer::parseInt);
          require(jobManagers > 0 && jobManagers <= MOST_JOBMANAGERS, option, value);
        }
        case "--rate" -> {
          rate = number(option, value, Integer::parseInt);
          require(rate > 0, option, value);
        }
        case "--backend" -> options.put("state.backend.type", value);
        case "--dir" -> directory = Files.createDirectories(Path.of(value).toAbsolutePath());
        case "-D" -> {
          int equals = value.indexOf('=');
          if (equals < 1) {
            throw new IllegalArgumentException("-D takes KEY=VALUE, not '" + value + "'");
          }
          options.put(value.substring(0, equals), value.substring(equals + 1));
        }
        default -> throw new IllegalArgumentException("There is no option " + option);
      }
    }
    double time = minutes.orElse(each > 0 ? each * MINUTES_OF_EACH : DEFAULT_MINUTES);
    return new SoakSettings(
        new FaultBudget(Duration.ofMillis((long) (time * 60_000)), faults, each, seed),
        jobManagers,
        rate,
        home,
        directory != null ? directory : Files.createTempDirectory("millrace-soak-"),
        options,
        Map.of());
  }

  private static void require(boolean inRange, String option, String value) {
    if (!inRange) {
      throw new IllegalArgumentException(value + " is out of the range of " + option);
    }
  }

  private static <N> N number(String option, String value, Function<String, N> parser) {
    try {
      return parser.apply(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(option + " takes a number, not '" + value + "'", e);
    }
  }
}
