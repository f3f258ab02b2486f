package io.millrace.api.source;

import io.millrace.api.function.Collector;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Lists the files of a {@link TextFileSource}, once or again and again, and divides large ones. */
final class TextFileEnumerator implements SplitEnumerator<TextFileSplit, TextFileEnumerator.Seen> {
  private static final long SMALLEST_SPLIT = 256 << 10;
  private static final long LARGEST_SPLIT = 64 << 20;

  /** More splits than readers, so that a reader that is quick reads more. */
  private static final int SPLITS_PER_READER = 4;

  private final List<String> paths;
  private final Optional<Duration> interval;
  private final long splitBytes;
  private final EnumeratorContext context;

  /** The files whose splits were found; only if there are later listings. */
  private final Set<String> seen = new LinkedHashSet<>();

  /** A file whose splits were found. */
  record Seen(String file) {}

  /**
   * @param interval between two listings; empty if the files are listed once
   * @param splitBytes the size of splits, 0 for the default
   */
  TextFileEnumerator(
      List<String> paths,
      Optional<Duration> interval,
      long splitBytes,
      EnumeratorContext context,
      List<Seen> state) {
    this.paths = paths;
    this.interval = interval;
    this.splitBytes = splitBytes;
    this.context = context;
    state.forEach(file -> seen.add(file.file()));
  }

  @Override
  public PollingReader.Status discover(Collector<TextFileSplit> splits) throws IOException {
    List<FileStatus> files = new ArrayList<>();
    for (String path : paths) {
      FilePath parsed = FilePath.parse(path);
      list(context.files().of(parsed), parsed, files);
    }
    if (interval.isEmpty()) {
      divide(files, splits);
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
    divide(added, splits);
    added.forEach(file -> seen.add(file.path().toString()));
    // A file that is gone need not be remembered, so that the state is as large as the directory.
    seen.retainAll(present);
    context.wakeAfter(interval.get());
    return PollingReader.Status.WAIT;
  }

  private void divide(List<FileStatus> files, Collector<TextFileSplit> splits) {
    long size = splitBytes > 0 ? splitBytes : defaultSize(files);
    for (FileStatus file : files) {
      String name = file.path().toString();
      if (file.length() == 0) {
        // Empty, or one of those whose length is not known before the end.
        splits.emit(new TextFileSplit(name, 0, Long.MAX_VALUE));
      }
      for (long from = 0; from < file.length(); from += size) {
        splits.emit(new TextFileSplit(name, from, Math.min(file.length(), from + size)));
      }
    }
  }

  private long defaultSize(List<FileStatus> files) {
    long total = files.stream().mapToLong(FileStatus::length).sum();
    long even = total / ((long) SPLITS_PER_READER * context.readers());
    return Math.max(SMALLEST_SPLIT, Math.min(LARGEST_SPLIT, even));
  }

  private void list(FileSystem system, FilePath path, List<FileStatus> files) throws IOException {
    Optional<FileStatus> status = system.status(path);
    if (status.isEmpty() && interval.isPresent()) {
      // It may come.
      return;
    }
    FileStatus found =
        status.orElseThrow(
            () ->
                new MillraceException(
                    ErrorKind.USER,
                    "Input '"
                        + path
                        + "' does not exist on the machine that runs the source. Check the"
                        + " path; every TaskManager must see it."));
    if (!found.isDirectory()) {
      files.add(found);
      return;
    }
    system.list(path).stream()
        .filter(TextFileEnumerator::isData)
        .sorted(Comparator.comparing(child -> child.path().toString()))
        .forEach(files::add);
  }

  private static boolean isData(FileStatus status) {
    String name = status.path().name();
    return !name.startsWith(".") && !name.startsWith("_") && !status.isDirectory();
  }

  @Override
  public List<Seen> snapshot(long checkpoint) {
    return seen.stream().map(Seen::new).toList();
  }
}
