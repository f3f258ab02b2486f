package io.millrace.examples;

import io.millrace.api.StreamEnvironment;
import io.millrace.connector.files.Compression;
import io.millrace.connector.files.FileSink;
import io.millrace.connector.files.FileSource;
import io.millrace.connector.files.LineFormat;
import io.millrace.core.MemorySize;
import io.millrace.core.config.RuntimeMode;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.util.List;

/**
 * Writes the lines of many small files into few large ones: at most one for each parallel instance,
 * unless {@code --part-size} says how large they become. Each line is there once.
 *
 * <p>{@code --input} is a directory or a pattern such as {@code /logs/2026-*}; {@code --output} is
 * a directory. Input files with the suffix {@code .gz} are decompressed; {@code --gzip} compresses
 * the output. The file {@code _SUCCESS} appears last: then the input may be deleted.
 */
public final class FileCompaction {
  private FileCompaction() {}

  public static void main(String[] args) {
    Arguments arguments =
        Arguments.parse(args, List.of("--input", "--output", "--part-size"), List.of("--gzip"));
    FileSink<String> sink =
        FileSink.to(required(arguments, "--output"), LineFormat.text())
            .partNames("compacted", ".txt")
            .compression(arguments.has("--gzip") ? Compression.GZIP : Compression.NONE);
    if (arguments.find("--part-size").isPresent()) {
      sink = sink.rollAt(MemorySize.parse(arguments.find("--part-size").get()));
    }
    StreamEnvironment env = StreamEnvironment.current().runtimeMode(RuntimeMode.BATCH);
    env.fromSource(FileSource.of(LineFormat.text(), required(arguments, "--input")), "small files")
        .sinkTo(sink.withSuccessMarker());
    env.execute("file compaction");
  }

  private static String required(Arguments arguments, String name) {
    return arguments
        .find(name)
        .orElseThrow(
            () -> new MillraceException(ErrorKind.USER, "Argument " + name + " is missing."));
  }
}
