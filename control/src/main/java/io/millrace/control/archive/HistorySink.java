package io.millrace.control.archive;

import io.millrace.protocol.ArchivedJob;
import java.io.IOException;

/** Writes an ended job to where a history server finds it. A plug point. */
@FunctionalInterface
public interface HistorySink {
  /** May block. Writing a job again replaces what was written of it before. */
  void write(ArchivedJob job) throws IOException;
}
