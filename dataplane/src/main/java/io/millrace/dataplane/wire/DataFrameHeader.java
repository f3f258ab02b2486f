package io.millrace.dataplane.wire;

/**
 * The header of a DATA frame.
 *
 * @param edge id of the edge in the job graph
 * @param more whether the payload continues in the next frame of the same channel
 * @param control the kind of the control element after the payload
 * @param value the time of a watermark, else 0
 */
public record DataFrameHeader(
    int edge, int producer, int consumer, boolean more, int control, long value) {
  public static final int NO_CONTROL = 0;
  public static final int WATERMARK = 1;
  public static final int END_OF_INPUT = 2;
  public static final int IDLE = 3;
  public static final int ACTIVE = 4;

  public DataFrameHeader {
    if (control < NO_CONTROL || control > ACTIVE) {
      throw new IllegalArgumentException("control must be in 0.." + ACTIVE + ", not " + control);
    }
  }
}
