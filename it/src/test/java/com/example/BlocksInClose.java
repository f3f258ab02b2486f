package com.example;

import io.millrace.api.StreamEnvironment;
import io.millrace.api.sink.Sink;
import io.millrace.api.sink.SinkContext;
import io.millrace.api.sink.SinkWriter;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The sink creates the file of its argument and then blocks in close(). */
public final class BlocksInClose {
  private BlocksInClose() {}

  public static void main(String[] args) {
    StreamEnvironment env = StreamEnvironment.current();
    env.generate(index -> index, 10).sinkTo(new Blocking(args[0])).parallelism(1);
    env.execute("blocks in close");
  }

  private record Blocking(String file) implements Sink<Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public SinkWriter<Long> createWriter(SinkContext context) {
      return new SinkWriter<>() {
        @Override
        public void write(Long record) {}

        @Override
        public void close() throws IOException {
          Files.createFile(Path.of(file));
          try {
            Thread.sleep(Long.MAX_VALUE);
          } catch (InterruptedException e) {
            throw new InterruptedIOException("interrupted");
          }
        }
      };
    }
  }
}
