package io.millrace.test;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.task.checkpoint.CheckpointMetadata;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The state of all operators of a harness at one moment, in memory. Any number of harnesses can
 * start with it, also after the one that it was taken of is closed.
 *
 * <pre>{@code
 * HarnessSnapshot snapshot;
 * try (StreamHarness<Order, Counted<String>> harness =
 *     StreamHarness.of(orders -> orders.keyBy(Order::customer).count())) {
 *   snapshot = harness.push(new Order("ada", 1, 120)).snapshot();
 * }
 * try (StreamHarness<Order, Counted<String>> harness =
 *     StreamHarness.of(orders -> orders.keyBy(Order::customer).count())) {
 *   harness.parallelism(3).restore(snapshot).push(new Order("ada", 2, 80));
 *   assertEquals(List.of(new Counted<>("ada", 2)), harness.output());
 * }
 * }</pre>
 */
public final class HarnessSnapshot {
  private final CheckpointMetadata metadata;
  private final Map<String, byte[]> files = new LinkedHashMap<>();

  private HarnessSnapshot(CheckpointMetadata metadata) {
    this.metadata = metadata;
  }

  /** Reads the files of a checkpoint. */
  static HarnessSnapshot of(CheckpointMetadata metadata, Path directory) {
    HarnessSnapshot snapshot = new HarnessSnapshot(metadata);
    try (Stream<Path> found = Files.list(directory)) {
      for (Path file : found.toList()) {
        snapshot.files.put(file.getFileName().toString(), Files.readAllBytes(file));
      }
    } catch (IOException e) {
      throw failed(directory, e);
    }
    return snapshot;
  }

  CheckpointMetadata metadata() {
    return metadata;
  }

  /** Writes the files of the checkpoint, for the tasks that start with it. */
  void writeTo(Path directory) {
    try {
      Files.createDirectories(directory);
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        Files.write(directory.resolve(file.getKey()), file.getValue());
      }
    } catch (IOException e) {
      throw failed(directory, e);
    }
  }

  private static MillraceException failed(Path directory, IOException cause) {
    return new MillraceException(
        ErrorKind.EXTERNAL,
        "The files of a snapshot in '" + directory + "' cannot be read or written: " + cause,
        cause);
  }

  /** The operators of the program, for messages. */
  @Override
  public String toString() {
    List<String> names =
        metadata.vertices().stream()
            .flatMap(vertex -> vertex.operators().stream())
            .map(CheckpointMetadata.OperatorInfo::name)
            .toList();
    return "snapshot of " + names;
  }
}
