package io.millrace.connector.files;

import io.millrace.api.source.EnumeratedSource;
import io.millrace.api.source.EnumeratorContext;
import io.millrace.api.source.SourceContext;
import io.millrace.api.source.SourceReader;
import io.millrace.api.source.SplitEnumerator;
import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;

/**
 * The records of files.
 *
 * <pre>{@code
 * FileSource<Order> stored =
 *     FileSource.of(LineFormat.of(JsonFormat.of(Order.class)), "s3a://bucket/orders");
 * FileSource<String> logs =
 *     FileSource.of(LineFormat.text(), "/logs/2026-*.gz").monitor(Duration.ofSeconds(10));
 * env.fromSource(stored, "orders").print();
 * env.fromSource(logs, "logs").print();
 * }</pre>
 *
 * <p>A path is a file, a directory or a pattern. A directory stands for the files in it and in the
 * directories below it, but for names that start with {@code .} or {@code _}. In a pattern {@code
 * *}, {@code ?}, {@code [a-z]} and <code>{a,b}</code> stand for parts of one name and {@code **}
 * for any number of directories. A path that exists as it is written is no pattern.
 *
 * <p>Files with the suffixes of {@link Compression} are decompressed. Large files are divided if
 * the format allows it. All TaskManagers must see the same files, and files must not change while
 * they are read.
 *
 * @param <T> the records
 */
public final class FileSource<T> implements EnumeratedSource<T, FileSplit, FileEnumerator.Seen> {
  private static final long serialVersionUID = 1L;

  private final FileReadFormat<T> format;
  private final ArrayList<String> paths;

  /** Between two listings; null if the files are listed once. */
  private final Duration interval;

  /** 0 for the default. */
  private final long splitBytes;

  private final BadFileRecords bad;

  private FileSource(
      FileReadFormat<T> format,
      Collection<String> paths,
      Duration interval,
      long splitBytes,
      BadFileRecords bad) {
    this.format = format;
    this.paths = new ArrayList<>(paths);
    this.interval = interval;
    this.splitBytes = splitBytes;
    this.bad = bad;
  }

  public static <T> FileSource<T> of(FileReadFormat<T> format, String... paths) {
    return of(format, List.of(paths));
  }

  public static <T> FileSource<T> of(FileReadFormat<T> format, Collection<String> paths) {
    if (paths.isEmpty() || paths.stream().anyMatch(String::isBlank)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A file source needs at least one path, and none that is empty. '.' is the working"
              + " directory.");
    }
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new FileSource<>(
        Objects.requireNonNull(format, "format"),
        paths.stream().map(path -> FilePath.parse(path).toString()).toList(),
        null,
        0,
        BadFileRecords.fail());
  }

  /**
   * Lists the paths again and again and reads the files that are new; the source does not end. A
   * file is read once and should be complete when it gets its name: write it under a name with a
   * leading dot, or in another directory, and rename it. A path that does not exist yet is waited
   * for.
   */
  public FileSource<T> monitor(Duration interval) {
    if (interval.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Paths of a file source are listed every millisecond or less often, not every "
              + interval
              + ".");
    }
    return new FileSource<>(format, paths, interval, splitBytes, bad);
  }

  /**
   * The size of the splits of large files. By default there are about four splits for each parallel
   * instance, of 256 KiB to 64 MiB.
   */
  public FileSource<T> splitSize(MemorySize size) {
    if (size.bytes() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "Splits of a file source have at least one byte. Name a larger size.");
    }
    return new FileSource<>(format, paths, interval, size.bytes(), bad);
  }

  /** What happens with records that cannot be parsed; by default the task fails. */
  public FileSource<T> badRecords(BadFileRecords bad) {
    return new FileSource<>(
        format, paths, interval, splitBytes, Objects.requireNonNull(bad, "bad"));
  }

  @Override
  public boolean isBounded() {
    return interval == null;
  }

  @Override
  public SourceReader<T, FileSplit> createReader(SourceContext context) {
    return new FileSourceReader<>(context.files(), format, bad);
  }

  @Override
  public SplitEnumerator<FileSplit, FileEnumerator.Seen> createEnumerator(
      EnumeratorContext context) {
    return restoreEnumerator(context, List.of());
  }

  @Override
  public SplitEnumerator<FileSplit, FileEnumerator.Seen> restoreEnumerator(
      EnumeratorContext context, List<FileEnumerator.Seen> state) {
    return new FileEnumerator(
        new FileListing(paths, context.files(), interval != null),
        new FileDivision(format, splitBytes, context.readers()),
        interval,
        context,
        state);
  }
}
