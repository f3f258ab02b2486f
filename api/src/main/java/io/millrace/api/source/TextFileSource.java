package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import io.millrace.core.fs.FileStatus;
import io.millrace.core.fs.FileSystem;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The lines of text files in UTF-8, ended by {@code \n} or {@code \r\n}. A directory stands for the
 * files directly in it, but for those whose names start with {@code .} or {@code _}.
 *
 * <p>Every parallel instance reads an even share of the bytes of all files together; a line belongs
 * to the share in which it starts. All instances must see the same files. A path with a scheme, as
 * in {@code hdfs://host/file}, is read through the file system that offers the scheme.
 *
 * <p>A file that has no length before it is read, as those in {@code /proc}, is read to its end by
 * one instance. Pipes and devices are refused.
 */
public final class TextFileSource implements Source<String, TextFileSplit> {
  private static final long serialVersionUID = 1L;

  private final ArrayList<String> paths;

  private TextFileSource(Collection<String> paths) {
    this.paths = new ArrayList<>(paths);
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
    return new TextFileSource(paths.stream().map(path -> FilePath.parse(path).toString()).toList());
  }

  @Override
  public boolean isBounded() {
    return true;
  }

  @Override
  public SourceReader<String, TextFileSplit> createReader(SourceContext context) {
    return new TextFileReader(context.files());
  }

  @Override
  public List<TextFileSplit> initialSplits(SourceContext context) throws IOException {
    List<TextFileSplit> files = new ArrayList<>();
    for (String path : paths) {
      FilePath parsed = FilePath.parse(path);
      list(context.files().of(parsed), parsed, files);
    }
    long total = files.stream().mapToLong(TextFileSplit::to).sum();
    SubtaskRange share = SubtaskRange.of(total, context);
    List<TextFileSplit> ranges = new ArrayList<>();
    long before = 0;
    int unknown = 0;
    for (TextFileSplit file : files) {
      if (file.to() == 0) {
        // Empty, or one of those whose length is not known before the end.
        if (unknown++ % context.parallelism() == context.subtask()) {
          ranges.add(new TextFileSplit(file.file(), 0, Long.MAX_VALUE));
        }
        continue;
      }
      long from = Math.max(0, share.from() - before);
      long to = Math.min(file.to(), share.to() - before);
      if (from < to) {
        ranges.add(new TextFileSplit(file.file(), from, to));
      }
      before += file.to();
    }
    return ranges;
  }

  private static void list(FileSystem system, FilePath path, List<TextFileSplit> files)
      throws IOException {
    FileStatus status =
        system
            .status(path)
            .orElseThrow(
                () ->
                    new MillraceException(
                        ErrorKind.USER,
                        "Input '"
                            + path
                            + "' does not exist on the machine that runs the source. Check the"
                            + " path; every TaskManager must see it."));
    if (!status.isDirectory()) {
      files.add(new TextFileSplit(path.toString(), 0, status.length()));
      return;
    }
    for (FileStatus child : system.list(path)) {
      if (isData(child)) {
        files.add(new TextFileSplit(child.path().toString(), 0, child.length()));
      }
    }
  }

  private static boolean isData(FileStatus status) {
    String name = status.path().name();
    return !name.startsWith(".") && !name.startsWith("_") && !status.isDirectory();
  }
}
