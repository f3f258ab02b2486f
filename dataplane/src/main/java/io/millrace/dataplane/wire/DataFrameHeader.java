package io.millrace.dataplane.wire;

/**
 * What is known of a batch without opening it.
 *
 * @param edge id of the edge in the job graph
 * @param more whether the payload goes on in the next frame of the same channel
 * @param control what stands at the end of the batch
 * @param value the control element's number, 0 where it has none
 */
public record DataFrameHeader(
    int edge, int producer, int consumer, boolean more, int control, long value) {
  public static final int NO_CONTROL = 0;
  public static final int WATERMARK = 1;
  public static final int BARRIER = 2;
  public static final int END_OF_INPUT = 3;
  public static final int IDLE = 4;
  public static final int ACTIVE = 5;

  public DataFrameHeader {
    if (control < NO_CONTROL || control > ACTIVE) {
      throw new IllegalArgumentException("No control element " + control);
    }
  }
}
