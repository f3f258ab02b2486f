package io.millrace.connector.files;

import io.millrace.api.function.Collector;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.PollingReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.fs.FileStatus;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Lists the files of a {@link FileSource}, once or again and again, and divides large ones. */
final class FileEnumerator implements SplitEnumerator<FileSplit, FileEnumerator.Seen> {
  private final FileListing listing;
  private final FileDivision division;

  /** Between two listings; null if the files are listed once. */
  private final Duration interval;

  private final EnumeratorContext context;

  /** The files whose splits were found; only if there are later listings. */
  private final Set<String> seen = new LinkedHashSet<>();

  /** A file whose splits were found. */
  record Seen(String file) {}

  FileEnumerator(
      FileListing listing,
      FileDivision division,
      Duration interval,
      EnumeratorContext context,
      List<Seen> state) {
    this.listing = listing;
    this.division = division;
    this.interval = interval;
    this.context = context;
    state.forEach(file -> seen.add(file.file()));
  }

  @Override
  public PollingReader.Status discover(Collector<FileSplit> splits) throws IOException {
    List<FileStatus> files = listing.files();
    if (interval == null) {
      division.divide(files, splits);
      return PollingReader.Status.END;
    }
    List<FileStatus> added = new ArrayList<>();
    Set<String> present = new LinkedHashSet<>();
    for (FileStatus file : files) {
      String name = file.path().toString();
      present.add(name);
      if (!seen.contains(name)) {
        added.add(file);
      }
    }
    division.divide(added, splits);
    added.forEach(file -> seen.add(file.path().toString()));
    // A file that is gone need not be remembered, so that the state is as large as the directory.
    seen.retainAll(present);
    context.wakeAfter(interval);
    return PollingReader.Status.WAIT;
  }

  @Override
  public List<Seen> snapshot(long checkpoint) {
    return seen.stream().map(Seen::new).toList();
  }
}
