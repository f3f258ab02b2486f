package io.millrace.api.source;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Stream;

/**
 * The lines of text files in UTF-8, ended by {@code \n} or {@code \r\n}. A directory stands for the
 * files directly in it, but for those whose names start with {@code .} or {@code _}.
 *
 * <p>Every parallel instance reads an even share of the bytes of all files together; a line belongs
 * to the share in which it starts. All instances must see the same files.
 */
public final class TextFileSource implements Source<String> {
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
    // The working directory that counts is the one of the program, not that of a TaskManager.
    return new TextFileSource(
        paths.stream().map(path -> Path.of(path).toAbsolutePath().toString()).toList());
  }

  @Override
  public boolean isBounded() {
    return true;
  }

  @Override
  public SourceReader<String> open(SourceContext context) throws IOException {
    List<TextRange> files = new ArrayList<>();
    for (String path : paths) {
      list(Path.of(path), files);
    }
    long total = files.stream().mapToLong(TextRange::to).sum();
    Share share = Share.of(total, context);
    List<TextRange> ranges = new ArrayList<>();
    long before = 0;
    for (TextRange file : files) {
      long from = Math.max(0, share.from() - before);
      long to = Math.min(file.to(), share.to() - before);
      if (from < to) {
        ranges.add(new TextRange(file.file(), from, to));
      }
      before += file.to();
    }
    return new TextReader(ranges);
  }

  private static void list(Path path, List<TextRange> files) throws IOException {
    if (Files.isDirectory(path)) {
      List<Path> children;
      try (Stream<Path> entries = Files.list(path)) {
        children = entries.filter(TextFileSource::isData).sorted().toList();
      }
      for (Path child : children) {
        files.add(new TextRange(child, 0, Files.size(child)));
      }
    } else if (Files.isReadable(path)) {
      files.add(new TextRange(path, 0, Files.size(path)));
    } else {
      throw new MillraceException(
          ErrorKind.USER,
          "Input '"
              + path
              + "' "
              + (Files.exists(path) ? "may not be read" : "does not exist")
              + " on the machine that runs the source. Check the path; every TaskManager must see"
              + " it.");
    }
  }

  private static boolean isData(Path path) {
    String name = path.getFileName().toString();
    return !name.startsWith(".") && !name.startsWith("_") && Files.isRegularFile(path);
  }
}
