package io.millrace.bench.yarn;

import io.millrace.api.StreamEnvironment;
import java.util.List;

/** A job of one record, which tells when it came. */
public final class FirstRecord {
  private FirstRecord() {}

  /** Takes the file to tell it in. */
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
