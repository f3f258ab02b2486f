package io.millrace.control.archive;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.millrace.control.testing.Fenced;
import io.millrace.core.Bytes;
import io.millrace.core.fs.FencedOffException;
import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SharedArchiveTest {
  private static final JobId ONE = new JobId(new Id128(1, 1));
  private static final JobId TWO = new JobId(new Id128(2, 2));
  private static final Bytes CONTENT = Bytes.utf8("details and history");

  @TempDir Path temporary;

  @Test
  void nextOwnerFindsJobsAndThePreviousOneIsFencedOff() throws IOException {
    SharedArchive previous = take("one");
    assertThat(previous.list()).isEmpty();
    assertThat(previous.find(ONE, 100)).isEmpty();
    previous.put(TWO, Bytes.utf8("other"));
    previous.put(ONE, Bytes.utf8("earlier"));
    previous.put(ONE, CONTENT);

    SharedArchive next = take("two");

    assertThat(next.list()).containsExactly(ONE, TWO);
    assertThat(next.find(ONE, CONTENT.length())).contains(CONTENT);
    assertThatThrownBy(() -> previous.remove(ONE)).isInstanceOf(FencedOffException.class);
    assertThatThrownBy(() -> previous.put(ONE, Bytes.EMPTY)).isInstanceOf(FencedOffException.class);
    next.remove(TWO);
    next.remove(TWO);
    assertThat(next.list()).containsExactly(ONE);
    assertThat(next.place(ONE)).isEqualTo(temporary.resolve("archive/" + ONE + ".job").toString());
  }

  @Test
  void rejectsFilesThatAreTooLargeOrNotPlainFiles() throws IOException {
    SharedArchive archive = take("one");
    archive.put(ONE, CONTENT);
    assertThatThrownBy(() -> archive.find(ONE, CONTENT.length() - 1))
        .hasMessageContaining(ONE + ".job has " + CONTENT.length() + " bytes");
    Files.createDirectory(temporary.resolve("archive").resolve(TWO + ".job"));
    assertThatThrownBy(() -> archive.find(TWO, 100)).hasMessageContaining("not a plain file");
  }

  private SharedArchive take(String machine) {
    return new SharedArchive(Fenced.take(temporary, machine), "archive");
  }
}
