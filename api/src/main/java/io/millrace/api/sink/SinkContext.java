package io.millrace.api.sink;

import io.millrace.core.fs.FileSystems;
import java.util.Objects;

/**
 * What a writer knows of its place.
 *
 * @param attempt tells a restarted writer from its forerunner
 * @param files the file systems of the process that runs the writer
 */
public record SinkContext(int subtask, int parallelism, int attempt, FileSystems files) {
  public SinkContext {
    Objects.requireNonNull(files);
  }
}
