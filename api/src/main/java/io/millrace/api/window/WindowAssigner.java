package io.millrace.api.window;

import io.millrace.core.error.ErrorKind;
import io.millrace.core.error.MillraceException;
import java.io.Serializable;
import java.util.Objects;

/**
 * Assigns records to windows.
 *
 * <pre>{@code
 * WindowAssigner hours = TumblingEventTimeWindows.of(Duration.ofHours(1));
 * orders.keyBy(Order::customer).window(hours).count().print();
 * orders.windowAll(hours).sum(Order::cents).print();
 * }</pre>
 */
public sealed interface WindowAssigner extends Serializable {
  /** Whether windows are in event time, not in processing time. */
  boolean isEventTime();

  /**
   * Windows with the same bounds for all keys: one starts every {@code slide}, counted from {@code
   * offset}, and has the length {@code size}; all in milliseconds.
   */
  record Aligned(long size, long slide, long offset, boolean isEventTime)
      implements WindowAssigner {
    public Aligned {
      if (size < 1 || slide < 1 || Math.abs(offset) >= slide) {
        throw new MillraceException(
            ErrorKind.USER,
            "Windows of "
                + size
                + " ms, one every "
                + slide
                + " ms, offset "
                + offset
                + " ms, cannot be: size and slide are 1 ms or more and the offset is below the"
                + " slide.");
      }
    }

    /** The start of the last window that a time belongs to. */
    public long lastStart(long time) {
      return time - Math.floorMod(time - offset, slide);
    }
  }

  /** Session windows: a window of a key ends after a gap without records, in milliseconds. */
  record Session(long gap, boolean isEventTime) implements WindowAssigner {
    public Session {
      if (gap < 1) {
        throw new MillraceException(
            ErrorKind.USER, "The gap between sessions is 1 ms or more, not " + gap + " ms.");
      }
    }
  }

  /** Session windows whose gap depends on the record. */
  record DynamicSession(SessionWindowTimeGapExtractor<Object> gap, boolean isEventTime)
      implements WindowAssigner {
    public DynamicSession {
      Objects.requireNonNull(gap, "gap");
    }

    @SuppressWarnings("unchecked") // The extractor gets the records of its stream.
    static DynamicSession of(SessionWindowTimeGapExtractor<?> gap, boolean isEventTime) {
      return new DynamicSession((SessionWindowTimeGapExtractor<Object>) gap, isEventTime);
    }
  }

  /** Windows that the program computes. */
  record Custom(WindowSelector<Object> selector, boolean isEventTime) implements WindowAssigner {
    public Custom {
      Objects.requireNonNull(selector, "selector");
    }

    @SuppressWarnings("unchecked") // The selector gets the records of its stream.
    static Custom of(WindowSelector<?> selector, boolean isEventTime) {
      return new Custom((WindowSelector<Object>) selector, isEventTime);
    }
  }

  /** One window for all records of a key. */
  record Global() implements WindowAssigner {
    @Override
    public boolean isEventTime() {
      return false;
    }
  }
}
