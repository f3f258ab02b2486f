package io.millrace.yarn.client;

import io.millrace.client.Progress;
import io.millrace.core.error.Failure;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletionService;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorCompletionService;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** Writes several files at the same time and reports the progress. */
final class ParallelUpload {
  private static final int MAX_THREADS = 4;
  private static final long PROGRESS_INTERVAL_MILLIS = 200;
  private static final double MEGA = 1_000_000;

  private final Progress progress;
  private final List<Upload> uploads = new ArrayList<>();
  private final AtomicLong written = new AtomicLong();

  ParallelUpload(Progress progress) {
    this.progress = progress;
  }

  /**
   * @param size the approximate number of bytes
   */
  record Upload(String name, long size, Writing writing) {}

  /** Opens its file, writes all of it and closes it. */
  interface Writing {
    void write(Meter meter) throws IOException;
  }

  /** Counts the bytes that are written. */
  interface Meter {
    OutputStream counting(OutputStream out);
  }

  void add(String name, long size, Writing writing) {
    uploads.add(new Upload(name, size, writing));
  }

  /** Returns when all files are written. After the first failure the others are abandoned. */
  void await(String where) throws IOException {
    if (uploads.isEmpty()) {
      return;
    }
    long all = uploads.stream().mapToLong(Upload::size).sum();
    long since = System.nanoTime();
    AtomicInteger number = new AtomicInteger();
    ExecutorService threads =
        Executors.newFixedThreadPool(
            Math.min(MAX_THREADS, uploads.size()),
            work -> {
              Thread thread = new Thread(work, "upload-" + number.incrementAndGet());
              thread.setDaemon(true);
              return thread;
            });
    try {
      CompletionService<Upload> service = new ExecutorCompletionService<>(threads);
      for (Upload upload : uploads) {
        service.submit(
            () -> {
              upload.writing().write(out -> new Counting(out, written));
              return upload;
            });
      }
      for (int done = 0; done < uploads.size(); ) {
        Future<Upload> next = service.poll(PROGRESS_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
        if (next != null) {
          next.get();
          done++;
        } else {
          progress.update(
              String.format(
                  Locale.ROOT,
                  "Uploading: %d %% of %.1f MB, %d of %d files",
                  all == 0 ? 100 : Math.min(100, 100 * written.get() / all),
                  all / MEGA,
                  done,
                  uploads.size()));
        }
      }
    } catch (ExecutionException e) {
      Throwable cause = Failure.unwrap(e);
      throw cause instanceof IOException known ? known : new IOException(cause);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("Interrupted while files were uploaded", e);
    } finally {
      threads.shutdownNow();
    }
    progress.report(
        String.format(
            Locale.ROOT,
            "Uploaded %d %s, %.1f MB, in %.1f s to %s",
            uploads.size(),
            uploads.size() == 1 ? "file" : "files",
            all / MEGA,
            (System.nanoTime() - since) / 1e9,
            where));
  }

  private static final class Counting extends FilterOutputStream {
    private final AtomicLong counter;

    Counting(OutputStream out, AtomicLong counter) {
      super(out);
      this.counter = counter;
    }

    @Override
    public void write(int value) throws IOException {
      out.write(value);
      counter.incrementAndGet();
    }

    @Override
    public void write(byte[] source, int offset, int length) throws IOException {
      out.write(source, offset, length);
      counter.addAndGet(length);
    }

    /**
     * Hadoop's streams throw the exception of a failed write again, and an exception cannot
     * suppress itself.
     */
    @Override
    public void close() throws IOException {
      try {
        super.close();
      } catch (IOException e) {
        throw new IOException(Failure.sentence(e), e);
      }
    }
  }
}
