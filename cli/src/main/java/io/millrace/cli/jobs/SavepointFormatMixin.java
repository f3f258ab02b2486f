package io.millrace.cli.jobs;

import io.millrace.cli.common.UsageException;
import io.millrace.client.SavepointRequest.Format;
import picocli.CommandLine.Option;

/** The format of a savepoint. */
final class SavepointFormatMixin {
  @Option(
      names = "--type",
      paramLabel = "FORMAT",
      defaultValue = "canonical",
      description =
          "canonical, the default: any state backend reads the savepoint. native: files of the"
              + " state backend as they are, which is faster, and which only the same backend"
              + " reads.")
  private String type;

  Format format() {
    return switch (type) {
      case "canonical" -> Format.CANONICAL;
      case "native" -> Format.NATIVE;
      default ->
          throw new UsageException("The type of a savepoint is canonical or native, not " + type);
    };
  }
}
