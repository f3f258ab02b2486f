package io.millrace.api.source;

import io.millrace.core.MemorySize;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * The lines of text files in UTF-8, ended by {@code \n} or {@code \r\n}. A directory stands for the
 * files directly in it, but for those whose names start with {@code .} or {@code _}.
 *
 * <p>Large files are divided into splits, and a parallel instance gets the next split when it has
 * read one; a line belongs to the split in which it starts. All TaskManagers must see the same
 * files. A path with a scheme, as in {@code hdfs://host/file}, is read through the file system that
 * offers the scheme.
 *
 * <p>A file that has no length before it is read, as those in {@code /proc}, is read to its end by
 * one instance. Pipes and devices are refused.
 *
 * <pre>{@code
 * TextFileSource logs = TextFileSource.of("/logs").monitor(Duration.ofSeconds(10));
 * env.fromSource(logs, "logs").filter(line -> line.contains("ERROR")).print();
 * }</pre>
 */
public final class TextFileSource
    implements EnumeratedSource<String, TextFileSplit, TextFileEnumerator.Seen> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> paths;

  /** Between two listings; null if the files are listed once. */
  private final Duration interval;

  /** 0 for the default. */
  private final long splitBytes;

  private TextFileSource(Collection<String> paths, Duration interval, long splitBytes) {
    this.paths = new ArrayList<>(paths);
    this.interval = interval;
    this.splitBytes = splitBytes;
  }

  public static TextFileSource of(String... paths) {
    return of(List.of(paths));
  }

  public static TextFileSource of(Collection<String> paths) {
    if (paths.isEmpty()) {
      throw new MillraceException(ErrorKind.USER, "A text source needs at least one path.");
    }
    if (paths.stream().anyMatch(String::isBlank)) {
      throw new MillraceException(
          ErrorKind.USER,
          "A path of a text source is empty. Name a file or a directory; '.' is the working"
              + " directory.");
    }
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new TextFileSource(
        paths.stream().map(path -> FilePath.parse(path).toString()).toList(), null, 0);
  }

  /**
   * Lists the paths again and again and reads the files that are new; the source does not end. A
   * file is read once, with the length that it has when it is first seen, so that it should be
   * complete by then: write it under a name with a leading dot, or in another directory, and rename
   * it. A path that does not exist yet is waited for.
   */
  public TextFileSource monitor(Duration interval) {
    if (interval.toMillis() < 1) {
      throw new MillraceException(
          ErrorKind.USER,
          "Paths of a text source are listed every millisecond or less often, not every "
              + interval
              + ".");
    }
    return new TextFileSource(paths, interval, splitBytes);
  }

  /**
   * The size of the splits of large files. By default there are about four splits for each parallel
   * instance, of 256 KiB to 64 MiB.
   */
  public TextFileSource splitSize(MemorySize size) {
    if (size.bytes() == 0) {
      throw new MillraceException(
          ErrorKind.USER, "Splits of a text source have at least one byte. Name a larger size.");
    }
    return new TextFileSource(paths, interval, size.bytes());
  }

  @Override
  public boolean isBounded() {
    return interval == null;
  }

  @Override
  public SourceReader<String, TextFileSplit> createReader(SourceContext context) {
    return new TextFileReader(context.files());
  }

  @Override
  public SplitEnumerator<TextFileSplit, TextFileEnumerator.Seen> createEnumerator(
      EnumeratorContext context) {
    return restoreEnumerator(context, List.of());
  }

  @Override
  public SplitEnumerator<TextFileSplit, TextFileEnumerator.Seen> restoreEnumerator(
      EnumeratorContext context, List<TextFileEnumerator.Seen> state) {
    return new TextFileEnumerator(paths, Optional.ofNullable(interval), splitBytes, context, state);
  }
}
