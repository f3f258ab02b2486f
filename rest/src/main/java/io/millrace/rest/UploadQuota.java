package io.millrace.rest;

import io.millrace.core.config.RestOptions;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Limits what all clients together store on the disk of the JobManager. The stored bytes are
 * measured when an upload begins and when it ends, so that deleted files count no more and files of
 * an earlier process count, too. Between, the bytes that arrive are counted. Thread-safe.
 */
final class UploadQuota {
  private final long limit;
  private final Measurement stored;
  private final AtomicLong receiving = new AtomicLong();
  private volatile long lastStored;

  /** Measures the files that uploads have become; blocks. */
  @FunctionalInterface
  interface Measurement {
    long bytes() throws IOException;
  }

  UploadQuota(long limit, Measurement stored) {
    this.limit = limit;
    this.stored = stored;
  }

  /**
   * Throws if an upload does not fit. Blocks.
   *
   * @param announced the bytes that have not arrived; 0 if that is not known
   */
  void check(long announced) throws IOException {
    lastStored = stored.bytes();
    checkFits(announced);
  }

  /** Counts bytes that have arrived, and throws if they do not fit. */
  void received(long bytes) {
    receiving.addAndGet(bytes);
    checkFits(0);
  }

  /** The bytes of an upload have been stored or deleted. */
  void ended(long bytes) {
    receiving.addAndGet(-bytes);
  }

  private void checkFits(long announced) {
    long used = lastStored + receiving.get();
    if (announced > limit - used) {
      throw new RestError(
          507,
          "Uploads and the jars and graphs of jobs may take "
              + limit
              + " bytes on the disk of the JobManager ("
              + RestOptions.UPLOAD_QUOTA.key()
              + "), and take "
              + lastStored
              + " now. Delete uploaded jars that are not needed (DELETE /jars/:jarid), wait until jobs"
              + " have ended, or raise the option.");
    }
  }
}
