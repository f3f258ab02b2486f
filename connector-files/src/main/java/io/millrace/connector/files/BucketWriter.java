package io.millrace.connector.files;

import io.millrace.api.sink.CommittingSinkWriter;
import io.millrace.api.sink.StatefulSinkWriter;
import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import io.millrace.core.fs.FilePath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Writes records to hidden files, one per bucket, which are renamed when they are committed. */
final class BucketWriter<T>
    implements StatefulSinkWriter<T, WriterNumber>, CommittingSinkWriter<T, PartCommit> {
  private final BucketDirectory directory;
  private final FileSinkSettings<T> settings;
  private long next;

  /** The parts to delete with the first commit. */
  private List<String> replaced;

  /** Whether the input has ended. */
  private boolean ended;

  /** By bucket, the one that was written to last at the end. */
  private final Map<String, OpenPart<T>> open = new LinkedHashMap<>(16, 0.75f, true);

  /** Complete files that the next commit renames. */
  private final List<PartCommit.Publish> complete = new ArrayList<>();

  BucketWriter(
      BucketDirectory directory, BucketDirectory.Start start, FileSinkSettings<T> settings) {
    this.directory = directory;
    this.settings = settings;
    this.next = start.next();
    this.replaced = start.replaced();
  }

  @Override
  public void write(T record) throws Exception {
    long now = directory.context().currentProcessingTime();
    String bucket = settings.buckets().bucketOf(record, now);
    OpenPart<T> part = open.get(bucket);
    if (part != null && settings.rollMillis() > 0 && now - part.opened() >= settings.rollMillis()) {
      close(bucket);
      part = null;
    }
    if (part == null) {
      part = open(bucket, now);
    }
    part.write(record);
    if (settings.rollBytes() > 0 && part.size() >= settings.rollBytes()) {
      close(bucket);
    }
  }

  private OpenPart<T> open(String bucket, long now) throws IOException {
    checkBucket(bucket);
    if (open.size() >= settings.openParts()) {
      close(open.keySet().iterator().next());
    }
    long number = next++;
    OpenPart<T> part =
        new OpenPart<>(
            directory.files(),
            directory.pending(number),
            directory.part(bucket, number),
            settings,
            now);
    open.put(bucket, part);
    return part;
  }

  /** Names come from records: none may leave the directory, or hide from readers. */
  private static void checkBucket(String bucket) {
    boolean valid = bucket != null;
    if (valid && !bucket.isEmpty()) {
      for (String name : bucket.split("/", -1)) {
        valid &=
            !name.isEmpty()
                && !name.startsWith(".")
                && !name.startsWith("_")
                && name.indexOf('\0') < 0;
      }
    }
    if (!valid) {
      throw new MillraceException(
          ErrorKind.USER,
          "The bucket assigner of a file sink returned '"
              + bucket
              + "'. A bucket is a relative path whose names are not empty and do not start with ."
              + " or _.");
    }
  }

  private void close(String bucket) throws IOException {
    // Stays in the map until it is complete: a failure discards it.
    complete.add(open.get(bucket).finish());
    open.remove(bucket);
  }

  @Override
  public void flush(boolean endOfInput) throws IOException {
    for (String bucket : List.copyOf(open.keySet())) {
      close(bucket);
    }
    ended = endOfInput;
  }

  @Override
  public List<PartCommit> prepareCommit() {
    List<PartCommit> prepared = new ArrayList<>(complete);
    if (!replaced.isEmpty()) {
      // Last: the directory is never without output.
      prepared.add(new PartCommit.Delete(replaced));
      replaced = List.of();
    }
    if (ended) {
      // Behind the parts that are in it. The last writer deletes it.
      prepared.add(new PartCommit.Delete(List.of(directory.pending().toString())));
    }
    complete.clear();
    return prepared;
  }

  @Override
  public List<WriterNumber> snapshot(long checkpoint) {
    return List.of(new WriterNumber(directory.context().subtask(), next));
  }

  @Override
  public void close() throws IOException {
    IOException failure = null;
    for (Iterator<OpenPart<T>> parts = open.values().iterator(); parts.hasNext(); ) {
      try {
        parts.next().discard(directory.files());
      } catch (IOException e) {
        failure = e;
      }
      parts.remove();
    }
    for (PartCommit.Publish unprepared : complete) {
      directory.files().delete(FilePath.parse(unprepared.from()));
    }
    complete.clear();
    if (failure != null) {
      throw failure;
    }
  }
}
