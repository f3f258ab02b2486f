package io.millrace.task.checkpoint;

import java.time.Duration;
import java.util.Objects;

/**
 * A request to take a checkpoint of the tasks of a job.
 *
 * @param checkpoint its number, which grows within a job, across leaders
 * @param timestamp when it was triggered, in milliseconds since the epoch
 * @param directory the directory of its files, which exists
 * @param sharedDirectory the directory of files that later checkpoints refer to, too
 * @param inlineThreshold up to this many bytes a piece of state becomes part of the metadata
 */
public record CheckpointRequest(
    long checkpoint,
    long timestamp,
    Type type,
    Barriers barriers,
    String directory,
    String sharedDirectory,
    int inlineThreshold) {
  public CheckpointRequest {
    if (checkpoint < 1) {
      throw new IllegalArgumentException("checkpoint must be >= 1, not " + checkpoint);
    }
    Objects.requireNonNull(type);
    Objects.requireNonNull(barriers);
    Objects.requireNonNull(directory);
    Objects.requireNonNull(sharedDirectory);
    if (inlineThreshold < 0) {
      throw new IllegalArgumentException("inlineThreshold must be >= 0, not " + inlineThreshold);
    }
  }

  /** The same request whose barriers overtake records at once. */
  public CheckpointRequest overtaking() {
    return new CheckpointRequest(
        checkpoint,
        timestamp,
        type,
        Barriers.UNALIGNED,
        directory,
        sharedDirectory,
        inlineThreshold);
  }

  /** The purpose of a checkpoint. */
  public enum Type {
    /** For recovery; may refer to files of earlier checkpoints. */
    CHECKPOINT,
    /** For the user; self-contained, in the format that all backends read. */
    SAVEPOINT,
    /** A savepoint after which the sources emit nothing more and the job finishes. */
    SAVEPOINT_SUSPEND,
    /**
     * As {@link #SAVEPOINT_SUSPEND}; event time ends first, so that all windows and timers fire.
     */
    SAVEPOINT_DRAIN,
    /** As {@link #SAVEPOINT}, in the format of the backend, which no other one reads. */
    NATIVE_SAVEPOINT,
    /** As {@link #SAVEPOINT_SUSPEND}, in the format of the backend. */
    NATIVE_SAVEPOINT_SUSPEND,
    /** As {@link #SAVEPOINT_DRAIN}, in the format of the backend. */
    NATIVE_SAVEPOINT_DRAIN;

    public boolean isSavepoint() {
      return this != CHECKPOINT;
    }

    /** Whether it is a savepoint in the format of the backend. */
    public boolean isNativeSavepoint() {
      return this == NATIVE_SAVEPOINT
          || this == NATIVE_SAVEPOINT_SUSPEND
          || this == NATIVE_SAVEPOINT_DRAIN;
    }

    /** Whether the job ends with it. */
    public boolean stops() {
      return this == SAVEPOINT_SUSPEND || this == NATIVE_SAVEPOINT_SUSPEND || drains();
    }

    /** Whether event time ends before it. */
    public boolean drains() {
      return this == SAVEPOINT_DRAIN || this == NATIVE_SAVEPOINT_DRAIN;
    }

    /** The same savepoint in the format of the backend. */
    public Type inNativeFormat() {
      return switch (this) {
        case SAVEPOINT, NATIVE_SAVEPOINT -> NATIVE_SAVEPOINT;
        case SAVEPOINT_SUSPEND, NATIVE_SAVEPOINT_SUSPEND -> NATIVE_SAVEPOINT_SUSPEND;
        case SAVEPOINT_DRAIN, NATIVE_SAVEPOINT_DRAIN -> NATIVE_SAVEPOINT_DRAIN;
        case CHECKPOINT -> throw new IllegalStateException("A checkpoint is no savepoint");
      };
    }
  }

  /**
   * How barriers pass through the exchanges.
   *
   * @param unaligned whether a barrier may overtake records, which are stored then
   * @param alignmentTimeout how long barriers are aligned before they overtake records, from the
   *     trigger of the checkpoint on; zero for not at all
   */
  public record Barriers(boolean unaligned, Duration alignmentTimeout) {
    public static final Barriers ALIGNED = new Barriers(false, Duration.ZERO);
    public static final Barriers UNALIGNED = new Barriers(true, Duration.ZERO);

    public Barriers {
      if (alignmentTimeout.isNegative()) {
        throw new IllegalArgumentException(
            "alignmentTimeout must be >= 0, not " + alignmentTimeout);
      }
    }
  }
}
