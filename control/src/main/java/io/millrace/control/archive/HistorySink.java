package io.millrace.control.archive;

import io.millrace.protocol.ArchivedJob;
import java.io.IOException;

/** Writes an ended job to a place that a history server reads. A plug point. */
@FunctionalInterface
public interface HistorySink {
  /** May block. Replaces what was written of the job before. */
  void write(ArchivedJob job) throws IOException;
}
