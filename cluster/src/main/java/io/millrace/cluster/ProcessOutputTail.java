package io.millrace.cluster;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Reads the output of a process and keeps the last bytes. */
final class ProcessOutputTail {
  private static final int MAX_BYTES = 32 * 1024;
  private static final String ERROR_PREFIX = "millrace: ";

  private final InputStream stream;
  private final CountDownLatch ended = new CountDownLatch(1);

  /** The last bytes; {@link #size} of them are used. Guarded by this. */
  private final byte[] tail = new byte[2 * MAX_BYTES];

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
      // The stream of a killed process may end with an error.
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
      System.arraycopy(tail, size - MAX_BYTES, tail, 0, MAX_BYTES);
      size = MAX_BYTES;
    }
    System.arraycopy(part, 0, tail, size, length);
    size += length;
  }

  /** The last error of the command line, or the end of the output if there is none. */
  String error() {
    awaitEnd();
    String text;
    synchronized (this) {
      text =
          new String(
              Arrays.copyOfRange(tail, Math.max(0, size - MAX_BYTES), size),
              StandardCharsets.UTF_8);
    }
    return text.lines()
        .filter(line -> line.startsWith(ERROR_PREFIX))
        .map(line -> line.substring(ERROR_PREFIX.length()))
        .reduce((earlier, later) -> later)
        .orElse(text.isBlank() ? "The program submitted no job." : text.strip());
  }

  /** Limited, because a child of the process may keep the stream open. */
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
