package io.millrace.cluster.inspect;

import io.millrace.core.Bytes;
import io.millrace.protocol.ProcessGateway.LogContent;
import io.millrace.protocol.ProcessGateway.LogFile;
import io.millrace.protocol.ProcessGateway.LogFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The log files of a process: those in the directory of its log whose names end with {@code .log},
 * {@code .out} or {@code .err}, or with a number after that. Other files of the directory, links
 * and subdirectories are neither listed nor read.
 */
final class LogDirectory {
  /** More files than this are not shown; the oldest are left out. */
  private static final int MAX_FILES = 1000;

  private static final int MAX_NAME = 255;
  private static final Pattern NAME =
      Pattern.compile("[^./\\\\\\x00][^/\\\\\\x00]*\\.(log|out|err)(\\.\\d+)?");

  private final Path log;
  private final Path output;

  /**
   * @param log the file that the process logs to
   * @param output where its standard output goes
   */
  LogDirectory(Path log, Path output) {
    this.log = log.toAbsolutePath();
    this.output = output.toAbsolutePath();
  }

  LogFiles list() throws IOException {
    List<LogFile> files = new ArrayList<>();
    Path directory = log.getParent();
    if (Files.isDirectory(directory)) {
      try (Stream<Path> all = Files.list(directory)) {
        for (Path file : all.sorted().toList()) {
          attributes(file)
              .ifPresent(
                  found ->
                      files.add(
                          new LogFile(
                              file.getFileName().toString(),
                              found.size(),
                              found.lastModifiedTime().toMillis())));
        }
      }
    }
    files.sort(Comparator.comparingLong(LogFile::changedAt).reversed());
    return new LogFiles(
        files.subList(0, Math.min(MAX_FILES, files.size())), listed(log), listed(output));
  }

  /** The name of a file, if it is one of the log files. */
  private Optional<String> listed(Path file) throws IOException {
    return log.getParent().equals(file.getParent()) && attributes(file).isPresent()
        ? Optional.of(file.getFileName().toString())
        : Optional.empty();
  }

  /** A part of a log file; empty if there is none of this name. The end of the file ends it. */
  Optional<LogContent> read(String name, long offset, int length) throws IOException {
    if (!isLog(name)) {
      return Optional.empty();
    }
    Path file = log.resolveSibling(name);
    while (true) {
      Optional<BasicFileAttributes> before = attributes(file);
      if (before.isEmpty()) {
        return Optional.empty();
      }
      Optional<LogContent> content = read(file, identity(before.get()), offset, length);
      if (attributes(file)
          .filter(after -> identity(after).equals(identity(before.get())))
          .isPresent()) {
        return content;
      }
      // The file was renamed meanwhile, so that the content may be that of either file.
    }
  }

  private static Optional<LogContent> read(Path file, String identity, long offset, int length)
      throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)) {
      long size = channel.size();
      byte[] content = new byte[(int) Math.max(0, Math.min(length, size - offset))];
      ByteBuffer buffer = ByteBuffer.wrap(content);
      int read = 0;
      while (buffer.hasRemaining() && read >= 0) {
        read = channel.read(buffer, offset + buffer.position());
      }
      return Optional.of(
          new LogContent(Bytes.wrap(Arrays.copyOf(content, buffer.position())), identity, size));
    } catch (NoSuchFileException e) {
      return Optional.empty();
    }
  }

  private static boolean isLog(String name) {
    return name.length() <= MAX_NAME && NAME.matcher(name).matches();
  }

  /** Of a log file; empty for another file. */
  private static Optional<BasicFileAttributes> attributes(Path file) throws IOException {
    if (!isLog(file.getFileName().toString())) {
      return Optional.empty();
    }
    try {
      return Optional.of(
              Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS))
          .filter(BasicFileAttributes::isRegularFile);
    } catch (FileSystemException e) {
      // It was deleted since it was listed, or does not exist.
      return Optional.empty();
    }
  }

  private static String identity(BasicFileAttributes file) {
    return String.valueOf(file.fileKey());
  }
}
