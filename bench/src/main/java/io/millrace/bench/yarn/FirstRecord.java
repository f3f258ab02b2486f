package io.millrace.bench.yarn;

import io.millrace.api.StreamEnvironment;
import java.util.List;

/** A job with one record, which writes the time of its arrival to a file. */
public final class FirstRecord {
  private FirstRecord() {}

  /** The argument is the file. */
  public static void main(String[] arguments) {
    String marker = arguments[0];
    StreamEnvironment env = StreamEnvironment.current();
    env.fromCollection(List.of("record"))
        .map(
            record -> {
              Marker.write(marker);
              return record;
            })
        .print();
    env.execute("first record");
  }
}
