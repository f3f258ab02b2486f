package io.millrace.control.dispatcher;

import io.millrace.control.archive.HistorySink;
import io.millrace.protocol.ArchivedJob;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Remembers what was written, and fails as often as it is told to. */
final class FakeHistory implements HistorySink {
  final List<ArchivedJob> written = new ArrayList<>();
  int failures;

  @Override
  public void write(ArchivedJob job) throws IOException {
    if (failures > 0) {
      failures--;
      throw new IOException("The other side is away");
    }
    written.add(job);
  }
}
