package io.millrace.control.dispatcher;

import io.millrace.control.archive.HistorySink;
import io.millrace.protocol.ArchivedJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Records what is written. Fails a given number of times. */
final class FakeHistory implements HistorySink {
  final List<ArchivedJob> written = new ArrayList<>();
  int failures;

  @Override
  public void write(ArchivedJob job) throws IOException {
    if (failures > 0) {
      failures--;
      throw new IOException("The history directory is not available");
    }
    written.add(job);
  }
}
