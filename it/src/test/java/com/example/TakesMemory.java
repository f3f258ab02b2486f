package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.DiscardSink;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A task maps a file without content into memory, outside of the heap, and waits. With {@code
 * touch} it also reads it, so that it takes physical memory, else only virtual memory. Arguments:
 * {@code touch} or {@code map}, the size in megabytes, and a file that exists once the task is
 * about to do it.
 */
public final class TakesMemory {
  private static final int PART = 256 << 20;
  private static final int PAGE = 4096;

  private TakesMemory() {}

  public static void main(String[] args) {
    boolean touch = args[0].equals("touch");
    long megabytes = Long.parseLong(args[1]);
    String begun = args[2];
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index, 1)
        .map(number -> take(touch, megabytes << 20, Path.of(begun)))
        .sinkTo(new DiscardSink<>());
    env.execute("takes memory");
  }

  private static long take(boolean touch, long bytes, Path begun)
      throws IOException, InterruptedException {
    Files.writeString(begun, "");
    List<MappedByteBuffer> held = new ArrayList<>();
    long sum = 0;
    Path file = Files.createTempFile("takes-memory", "");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(bytes);
      for (long at = 0; at < bytes; at += PART) {
        MappedByteBuffer part =
            sparse.getChannel().map(FileChannel.MapMode.READ_ONLY, at, Math.min(PART, bytes - at));
        held.add(part);
        for (int i = 0; touch && i < part.capacity(); i += PAGE) {
          sum += part.get(i);
        }
      }
    } finally {
      Files.delete(file);
    }
    while (held.size() > 0) {
      Thread.sleep(100);
    }
    return sum;
  }
}
