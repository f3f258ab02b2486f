package io.millrace.control.checkpoint;

import io.millrace.core.config.CheckpointingOptions;
import io.millrace.core.config.Configuration;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.id.JobId;
import io.millrace.task.checkpoint.CheckpointRequest;
import io.millrace.task.checkpoint.CheckpointStorage;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import java.util.regex.Pattern;

/**
 * The directories of a job's checkpoints and savepoints.
 *
 * @param ofJob has all checkpoints of the job; empty if no directory is configured
 * @param savepoints where savepoints go if a request names no directory; empty if none is
 *     configured
 */
public record CheckpointLocations(JobId job, Optional<String> ofJob, Optional<String> savepoints) {
  private static final int NAME_BITS = 48;
  private static final String CHECKPOINT = "chk-";

  public CheckpointLocations {
    Objects.requireNonNull(job);
    Objects.requireNonNull(ofJob);
    Objects.requireNonNull(savepoints);
  }

  /**
   * @param configuration the job's own, over the cluster's
   */
  public static CheckpointLocations of(JobId job, Configuration configuration) {
    return new CheckpointLocations(
        job,
        configuration.find(CheckpointingOptions.DIRECTORY).map(all -> child(all, job.toString())),
        configuration.find(CheckpointingOptions.SAVEPOINT_DIRECTORY));
  }

  /** The same job with its checkpoints in this directory. */
  public CheckpointLocations withDirectory(String directory) {
    return new CheckpointLocations(job, Optional.of(directory), savepoints);
  }

  /**
   * Leaves alone the checkpoints that an earlier run of the job has left: an application that is
   * started again has the same job ids. They belong to the user, who may have started this run with
   * one of them. The first directory without checkpoints is that of the job, else with a suffix
   * from -2 on. Blocks.
   */
  public CheckpointLocations withoutEarlierRuns(CheckpointStorage storage) {
    String first = required();
    String directory = first;
    for (int run = 2; hasCheckpoints(directory, storage); run++) {
      directory = first + "-" + run;
    }
    return withDirectory(directory);
  }

  private static boolean hasCheckpoints(String directory, CheckpointStorage storage) {
    return storage.directories(directory).stream().anyMatch(CheckpointLocations::isCheckpoint);
  }

  /** Whether this is the directory of a run of a job, by its name. */
  static boolean isOfJob(FilePath directory, JobId job) {
    String name = directory.name();
    return name.equals(job.toString()) || name.matches(Pattern.quote(job + "-") + "[0-9]{1,9}");
  }

  /** The directory of files that several checkpoints of the job refer to. */
  public String shared() {
    return child(required(), CheckpointServices.SHARED);
  }

  /** The directory of a checkpoint of the job. */
  public String checkpoint(long number) {
    return child(required(), CHECKPOINT + number);
  }

  /** Whether a directory of a job has this name because it is that of a checkpoint. */
  static boolean isCheckpoint(String name) {
    return name.startsWith(CHECKPOINT)
        && name.length() > CHECKPOINT.length()
        && name.chars().skip(CHECKPOINT.length()).allMatch(digit -> digit >= '0' && digit <= '9');
  }

  /**
   * A new directory for a savepoint.
   *
   * @param named the directory that the request names, if it names one
   */
  public String savepoint(Optional<String> named, RandomGenerator random) {
    String parent =
        named
            .or(() -> savepoints)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "No directory for savepoints is known. Name one in the command, or set "
                            + CheckpointingOptions.SAVEPOINT_DIRECTORY.key()
                            + "."));
    long drawn = random.nextLong() >>> Long.SIZE - NAME_BITS;
    return child(parent, "savepoint-%s-%012x".formatted(job.toString().substring(0, 6), drawn));
  }

  /** The directory in which a request finds its files. */
  public String directory(
      long number, CheckpointRequest.Type type, Optional<String> named, RandomGenerator random) {
    return type.isSavepoint() ? savepoint(named, random) : checkpoint(number);
  }

  private String required() {
    return ofJob.orElseThrow(
        () ->
            new MillraceException(
                ErrorKind.USER,
                "Checkpoints need a directory that all processes of the cluster reach. Set "
                    + CheckpointingOptions.DIRECTORY.key()
                    + "."));
  }

  private static String child(String directory, String name) {
    return FilePath.parse(directory).child(name).toString();
  }
}
