package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Reads all that a process prints and keeps its end, however much it is. */
final class ProcessOutputTail {
  private static final int KEPT = 32 * 1024;
  private static final String COMPLAINT = "millrace: ";

  private final InputStream stream;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** The last bytes, up to {@link #size}; guarded by this. */
  private final byte[] tail = new byte[2 * KEPT];

  private int size;

  private ProcessOutputTail(InputStream stream) {
    this.stream = stream;
  }

  static ProcessOutputTail read(Process process) {
    ProcessOutputTail output = new ProcessOutputTail(process.getInputStream());
    Thread reader = new Thread(output::readAll, "program-" + process.pid());
    reader.setDaemon(true);
    reader.start();
    return output;
  }

  private void readAll() {
    byte[] part = new byte[8 * 1024];
    try {
      for (int read = stream.read(part); read >= 0; read = stream.read(part)) {
        append(part, read);
      }
    } catch (IOException e) {
      // The stream of a process that was killed may end in the middle.
      append(("(" + e.getMessage() + ")").getBytes(StandardCharsets.UTF_8));
    } finally {
      ended.countDown();
    }
  }

  private void append(byte[] part) {
    append(part, part.length);
  }

  private synchronized void append(byte[] part, int length) {
    if (size + length > tail.length) {
      System.arraycopy(tail, size - KEPT, tail, 0, KEPT);
      size = KEPT;
    }
    System.arraycopy(part, 0, tail, size, length);
    size += length;
  }

  /**
   * What the command line said was wrong, or the end of all that was printed where it did not put
   * it that way.
   */
  String complaint() {
    awaitEnd();
    String text;
    synchronized (this) {
      text =
          new String(
              Arrays.copyOfRange(tail, Math.max(0, size - KEPT), size), StandardCharsets.UTF_8);
    }
    return text.lines()
        .filter(line -> line.startsWith(COMPLAINT))
        .map(line -> line.substring(COMPLAINT.length()))
        .reduce((earlier, later) -> later)
        .orElse(text.isBlank() ? "The program submitted no job." : text.strip());
  }

  /** Not for long: a process that the program started may hold the stream open. */
  private void awaitEnd() {
    try {
      if (!ended.await(2, TimeUnit.SECONDS)) {
        stream.close();
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      append(("(" + e.getMessage() + ")").getBytes(StandardCharsets.UTF_8));
    }
  }
}
