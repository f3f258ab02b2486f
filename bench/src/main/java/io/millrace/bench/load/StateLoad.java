package io.millrace.bench.load;

import java.io.IOException;
import java.io.Serializable;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.SplittableRandom;

/**
 * A keyed state of a given size under random updates, for W8 and W9. First each key gets its value,
 * as fast as possible. Then random keys are updated, as fast as possible or at a rate; a record has
 * the time at which it was due, so that a job that was interrupted is seen to catch up. The job
 * writes its progress to a file, because processes that are killed can be asked nothing.
 *
 * @param directory the files of progress
 * @param keys the number of keys
 * @param valueBytes the size of the value of a key
 * @param perSecond updates per second; 0 for no limit
 */
public record StateLoad(String directory, long keys, int valueBytes, int perSecond)
    implements Serializable {
  private static final long serialVersionUID = 1L;

  private static final long REPORT_NANOS = 50_000_000;

  /** {@code DIRECTORY KEYS VALUE_BYTES PER_SECOND}. */
  public static StateLoad of(String[] arguments) {
    return new StateLoad(
        arguments[0],
        Long.parseLong(arguments[1]),
        Integer.parseInt(arguments[2]),
        Integer.parseInt(arguments[3]));
  }

  public String[] arguments() {
    return new String[] {
      directory, String.valueOf(keys), String.valueOf(valueBytes), String.valueOf(perSecond)
    };
  }

  /** Makes records from the generator of the only source instance. */
  public final class Records {
    private long base;

    /** The next record, or null while none is due. */
    public Event next(Gen gen) {
      long position = gen.position();
      if (position < keys) {
        gen.advance();
        return new Event(position, 0, gen.value());
      }
      long due = 0;
      if (perSecond > 0) {
        if (base == 0) {
          base = base();
        }
        due = base + (position - keys) * 1000 / perSecond;
        if (due > System.currentTimeMillis()) {
          return null;
        }
      }
      gen.advance();
      return new Event(gen.key(), due, gen.value());
    }

    /** When updates began; the first attempt of the source decides. */
    private long base() {
      Path file = Path.of(directory, "base");
      try {
        try {
          return Long.parseLong(Files.readString(file));
        } catch (NoSuchFileException first) {
          Files.writeString(file, String.valueOf(System.currentTimeMillis()));
          return Long.parseLong(Files.readString(file));
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /** The value of a key: a counter, and bytes that cannot be compressed. */
  public byte[] firstValue(long key) {
    byte[] value = new byte[valueBytes];
    new SplittableRandom(key).nextBytes(value);
    ByteBuffer.wrap(value).putLong(0, 1);
    return value;
  }

  /** A new value, because the old one may be part of a snapshot. */
  public static byte[] updated(byte[] value) {
    byte[] next = value.clone();
    ByteBuffer bytes = ByteBuffer.wrap(next);
    bytes.putLong(0, bytes.getLong(0) + 1);
    return next;
  }

  /** Reports what a subtask has done. */
  public final class Progress {
    private final Path file;
    private long records;
    private long updates;
    private long reported;

    public Progress(int subtask) {
      this.file = Path.of(directory, "progress-" + subtask);
    }

    /**
     * A record was processed.
     *
     * @param existed whether its key had a value
     */
    public void record(Event event, boolean existed) {
      records++;
      if (existed) {
        updates++;
      }
      if ((records & 63) == 0 || perSecond > 0) {
        long now = System.nanoTime();
        if (now - reported > REPORT_NANOS) {
          reported = now;
          write(event.timestamp);
        }
      }
    }

    private void write(long due) {
      long now = System.currentTimeMillis();
      long lag = due == 0 ? 0 : now - due;
      Path next = file.resolveSibling(file.getFileName() + ".next");
      try {
        Files.writeString(next, now + " " + records + " " + updates + " " + lag);
        Files.move(next, file, StandardCopyOption.REPLACE_EXISTING);
      } catch (FileAlreadyExistsException e) {
        throw new IllegalStateException("Two subtasks write " + file, e);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  /**
   * What the file of a subtask says.
   *
   * @param time when it was written, in milliseconds since the epoch
   * @param records records that this attempt of the subtask has processed
   * @param updates those of keys that had a value
   * @param lagMillis how late the last record was processed
   */
  public record Report(long time, long records, long updates, long lagMillis) {
    /** Null if there is none yet. */
    public static Report read(String directory, int subtask) throws IOException {
      try {
        String[] fields = Files.readString(Path.of(directory, "progress-" + subtask)).split(" ");
        return new Report(
            Long.parseLong(fields[0]),
            Long.parseLong(fields[1]),
            Long.parseLong(fields[2]),
            Long.parseLong(fields[3]));
      } catch (NoSuchFileException none) {
        return null;
      }
    }
  }
}
