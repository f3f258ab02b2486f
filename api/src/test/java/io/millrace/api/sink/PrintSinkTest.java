package io.millrace.api.sink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@ResourceLock(Resources.SYSTEM_OUT)
class PrintSinkTest {
  @Test
  void printsOnePlainLineARecord() throws Exception {
    ByteArrayOutputStream printed = new ByteArrayOutputStream();
    PrintStream before = System.out;
    System.setOut(new PrintStream(printed, true, StandardCharsets.UTF_8));
    try (SinkWriter<Object> writer = new PrintSink<>().createWriter(TestSinkContext.of(3, 8))) {
      writer.write("weir");
      writer.write(7L);
      writer.flush(true);
    } finally {
      System.setOut(before);
    }
    assertThat(printed.toString(StandardCharsets.UTF_8).lines()).containsExactly("weir", "7");
  }
}
