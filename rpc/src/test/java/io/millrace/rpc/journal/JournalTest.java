package io.millrace.rpc.journal;

import static org.assertj.core.api.Assertions.assertThat;

import io.millrace.core.id.Id128;
import io.millrace.core.id.JobId;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JournalTest {
  private final Journal journal = new Journal(0x1234_5678_9abc_def0L, () -> 42);

  private static JobId job(int number) {
    return new JobId(new Id128(0, number));
  }

  private static Event event(int number) {
    return Event.of("test", "event", "" + number);
  }

  private static List<String> details(List<Event> events) {
    return events.stream().map(Event::detail).toList();
  }

  @Test
  void keepsTheNewestOfAJob() {
    for (int i = 0; i < 500; i++) {
      journal.append(event(i).forJob(job(1)));
    }
    journal.append(event(7).forJob(job(2)));
    assertThat(details(journal.of(job(1)))).hasSize(400).startsWith("100").endsWith("499");
    assertThat(details(journal.of(job(2)))).containsExactly("7");
    assertThat(journal.dropped()).isEqualTo(100);
  }

  @Test
  void keepsTheNewestOfTheCluster() {
    for (int i = 0; i < 2500; i++) {
      journal.append(event(i));
    }
    assertThat(details(journal.ofCluster())).hasSize(2000).startsWith("500").endsWith("2499");
    assertThat(journal.dropped()).isEqualTo(500);
  }

  @Test
  void dropsTheJobThatWasQuietLongest() {
    journal.append(event(0).forJob(job(0)));
    for (int i = 1; i <= 1000; i++) {
      journal.append(event(0).forJob(job(0)));
      journal.append(event(i).forJob(job(i)));
    }
    assertThat(journal.of(job(0))).hasSize(400);
    assertThat(journal.of(job(1))).isEmpty();
    assertThat(journal.of(job(2))).hasSize(1);
  }

  @Test
  void numbersEventsUnderTheOriginOfTheProcess() {
    long first = journal.append(event(1).causedBy(9));
    long second = journal.append(event(2).forJob(job(1)));
    assertThat(second).isEqualTo(first + 1);
    assertThat(first >>> 40).isEqualTo(0x1234_5678_9abc_def0L >>> 40);
    Event kept = journal.ofCluster().get(0);
    assertThat(kept.id()).isEqualTo(first);
    assertThat(kept.wallMillis()).isEqualTo(42);
    assertThat(kept.cause()).isEqualTo(9);
  }

  @Test
  void forgetsAJob() {
    journal.append(event(1).forJob(job(1)));
    journal.forget(job(1));
    assertThat(journal.of(job(1))).isEmpty();
    assertThat(journal.dropped()).isZero();
  }
}
