package io.millrace.task.checkpoint;

import java.util.OptionalLong;

/**
 * The names of files that several checkpoints of a job refer to: the number of the checkpoint that
 * wrote the file, and something random. No two leaders use the same number, so that the files of a
 * checkpoint that was given up are known by their names, also those that no task has reported.
 */
public final class SharedFileName {
  private SharedFileName() {}

  /**
   * @param random distinguishes the files of all tasks of a checkpoint
   */
  public static String of(long checkpoint, long random) {
    // The digits of a formatted decimal number are those of the user's language.
    return checkpoint + "-%016x".formatted(random);
  }

  /** The checkpoint that wrote a file; empty if the name is none of these. */
  public static OptionalLong checkpointOf(String name) {
    int dash = name.indexOf('-');
    if (dash < 1 || dash > 18 || name.length() != dash + 17) {
      return OptionalLong.empty();
    }
    for (int i = 0; i < dash; i++) {
      if (name.charAt(i) < '0' || name.charAt(i) > '9') {
        return OptionalLong.empty();
      }
    }
    return OptionalLong.of(Long.parseLong(name.substring(0, dash)));
  }
}
