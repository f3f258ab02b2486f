package io.millrace.api.sink;

import io.millrace.core.fs.FileSystems;
import java.util.Objects;

/**
 * The environment of a writer.
 *
 * @param attempt the number of the attempt, which grows with each restart
 * @param files the file systems of the process that runs the writer
 */
public record SinkContext(int subtask, int parallelism, int attempt, FileSystems files) {
  public SinkContext {
    Objects.requireNonNull(files);
  }
}
