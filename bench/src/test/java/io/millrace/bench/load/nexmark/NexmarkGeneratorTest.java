package io.millrace.bench.load.nexmark;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NexmarkGeneratorTest {
  private static final NexmarkSettings SETTINGS = new NexmarkSettings(7, 10, 20_000);

  @Test
  void hasOnePersonAndThreeAuctionsForEach46Bids() {
    List<NexmarkEvent> events = all(new NexmarkGenerator(SETTINGS, 0, 1));
    assertThat(events).hasSize(20_000);
    assertThat(events.stream().filter(Person.class::isInstance)).hasSize(400);
    assertThat(events.stream().filter(Auction.class::isInstance)).hasSize(1200);
    assertThat(events.stream().filter(Bid.class::isInstance)).hasSize(18_400);
    assertThat(events.stream().map(event -> event.dateTime).toList()).isSorted();
    assertThat(events.get(19_999).dateTime - events.get(0).dateTime).isEqualTo(199);
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 3, 7})
  void instancesShareTheStream(int instances) {
    List<String> shared = new ArrayList<>();
    for (int i = 0; i < instances; i++) {
      texts(all(new NexmarkGenerator(SETTINGS, i, instances))).forEach(shared::add);
    }
    shared.sort(Comparator.naturalOrder());
    assertThat(shared)
        .isEqualTo(texts(all(new NexmarkGenerator(SETTINGS, 0, 1))).sorted().toList());
  }

  @Test
  void anotherSeedGivesOtherEvents() {
    NexmarkSettings other = new NexmarkSettings(8, 10, 1000);
    assertThat(texts(all(new NexmarkGenerator(other, 0, 1))))
        .isNotEqualTo(texts(all(new NexmarkGenerator(SETTINGS, 0, 1)).subList(0, 1000)).toList());
  }

  @Test
  void goesOnFromAPosition() {
    NexmarkGenerator first = new NexmarkGenerator(SETTINGS, 1, 3);
    for (int i = 0; i < 1234; i++) {
      first.next();
    }
    NexmarkGenerator second = new NexmarkGenerator(SETTINGS, 1, 3);
    second.seek(first.position());
    assertThat(texts(all(second))).containsExactlyElementsOf(texts(all(first)).toList());
  }

  @Test
  void fillsTheSameObjectsWithTheSameEvents() {
    NexmarkGenerator fresh = new NexmarkGenerator(SETTINGS, 0, 1);
    NexmarkGenerator reusing = new NexmarkGenerator(SETTINGS, 0, 1);
    NexmarkGenerator.Reused objects = new NexmarkGenerator.Reused();
    for (int i = 0; i < 1000; i++) {
      assertThat(reusing.next(objects)).hasToString(fresh.next().toString());
    }
  }

  /** State of queries with joins is kept for a time that depends on it. */
  @Test
  void refersToRecentPersonsAndAuctions() {
    for (NexmarkEvent event : all(new NexmarkGenerator(SETTINGS, 0, 1))) {
      long group = (event.dateTime - NexmarkGenerator.FIRST_TIME) * 100 / NexmarkGenerator.GROUP;
      if (event instanceof Auction auction) {
        assertThat(auction.seller - NexmarkGenerator.FIRST_PERSON)
            .isBetween(Math.max(-100, group - 1002), group + 12);
        assertThat(auction.expires - auction.dateTime).isBetween(1L, 34L);
        assertThat(auction.category).isBetween(10L, 14L);
      } else if (event instanceof Bid bid) {
        assertThat(bid.auction - NexmarkGenerator.FIRST_AUCTION)
            .isBetween(Math.max(-100, group * 3 - 110), group * 3 + 20);
        assertThat(bid.price).isBetween(100L, 110_000_000L);
      }
    }
  }

  private static List<NexmarkEvent> all(NexmarkGenerator generator) {
    List<NexmarkEvent> events = new ArrayList<>();
    while (generator.hasNext()) {
      events.add(generator.next());
    }
    return events;
  }

  private static Stream<String> texts(List<NexmarkEvent> events) {
    return events.stream().map(Object::toString);
  }
}
