package io.millrace.yarn.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.client.Progress;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class ParallelUploadTest {
  private final List<String> report = Collections.synchronizedList(new ArrayList<>());
  private final Progress progress = report::add;

  @Test
  void allFilesAreWrittenAndReported() throws Exception {
    ParallelUpload uploads = new ParallelUpload(progress);
    List<ByteArrayOutputStream> files = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      files.add(file);
      byte[] content = new byte[1_000 + i];
      uploads.add(
          "file-" + i,
          content.length,
          meter -> {
            try (OutputStream out = meter.counting(file)) {
              out.write(content);
              out.write(7);
            }
          });
    }
    uploads.await("hdfs:///there");
    for (int i = 0; i < 10; i++) {
      assertThat(files.get(i).size()).isEqualTo(1_001 + i);
    }
    assertThat(report).last().asString().contains("Uploaded 10 files", "to hdfs:///there");
  }

  @Test
  void oneFileIsNotCalledFiles() throws Exception {
    ParallelUpload uploads = new ParallelUpload(progress);
    uploads.add("one", 1_500_000, meter -> {});
    uploads.await("there");
    assertThat(report).singleElement().asString().contains("Uploaded 1 file, 1.5 MB");
  }

  @Test
  void nothingIsReportedWithoutFiles() throws Exception {
    new ParallelUpload(progress).await("there");
    assertThat(report).isEmpty();
  }

  @Test
  void filesAreWrittenAtTheSameTime() throws Exception {
    ParallelUpload uploads = new ParallelUpload(progress);
    CountDownLatch together = new CountDownLatch(4);
    AtomicInteger met = new AtomicInteger();
    for (int i = 0; i < 4; i++) {
      uploads.add(
          "file-" + i,
          1,
          meter -> {
            together.countDown();
            try {
              if (together.await(30, TimeUnit.SECONDS)) {
                met.incrementAndGet();
              }
            } catch (InterruptedException e) {
              Thread.currentThread().interrupt();
            }
          });
    }
    uploads.await("there");
    assertThat(met).hasValue(4);
  }

  @Test
  void firstFailureFailsTheUpload() {
    ParallelUpload uploads = new ParallelUpload(progress);
    uploads.add("good", 1, meter -> {});
    uploads.add(
        "bad",
        1,
        meter -> {
          throw new IOException("no space left");
        });
    assertThatThrownBy(() -> uploads.await("there"))
        .isInstanceOf(IOException.class)
        .hasMessage("no space left");
    assertThat(report).noneMatch(line -> line.startsWith("Uploaded"));
  }

  @Test
  void unexpectedFailureKeepsItsCause() {
    ParallelUpload uploads = new ParallelUpload(progress);
    uploads.add(
        "bad",
        1,
        meter -> {
          throw new IllegalStateException("a bug");
        });
    assertThatThrownBy(() -> uploads.await("there"))
        .isInstanceOf(IOException.class)
        .hasRootCauseMessage("a bug");
  }

  @Test
  void failureOfCloseIsNotTheSameExceptionAgain() {
    IOException broken = new IOException("pipeline is broken");
    ParallelUpload uploads = new ParallelUpload(progress);
    uploads.add(
        "bad",
        1,
        meter -> {
          // As Hadoop's streams: write and close throw the same exception.
          try (OutputStream out =
              meter.counting(
                  new OutputStream() {
                    @Override
                    public void write(int value) throws IOException {
                      throw broken;
                    }

                    @Override
                    public void close() throws IOException {
                      throw broken;
                    }
                  })) {
            out.write(1);
          }
        });
    assertThatThrownBy(() -> uploads.await("there")).isSameAs(broken);
    assertThat(broken.getSuppressed()).hasSize(1);
  }
}
