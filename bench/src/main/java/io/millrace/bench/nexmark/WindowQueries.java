package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.window.EventTimeSessionWindows;
import io.millrace.api.window.SlidingEventTimeWindows;
import io.millrace.api.window.TumblingEventTimeWindows;
import io.millrace.api.window.TumblingProcessingTimeWindows;
import io.millrace.bench.load.nexmark.AuctionBids;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkResults.BidderWindow;
import io.millrace.bench.load.nexmark.NexmarkResults.NewSeller;
import io.millrace.bench.load.nexmark.Person;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Queries with windows. A window gives its results once, when it ends. */
final class WindowQueries {
  static final Duration SIZE = Duration.ofSeconds(10);
  static final Duration SLIDE = Duration.ofSeconds(2);

  private WindowQueries() {}

  /**
   * Query 5, hot items: the auctions with the most bids of the last 10 s, every 2 s. Counts of a
   * window have its last millisecond as timestamp, so that windows of 2 s collect the counts of one
   * window each.
   */
  static DataStream<AuctionBids> hotItems(NexmarkStreams input) {
    return input
        .bids()
        .keyBy(bid -> bid.auction)
        .window(SlidingEventTimeWindows.of(SIZE, SLIDE))
        .aggregate(
            new Count<>(), (auction, window, bids) -> new AuctionBids(auction, bids, window.end()))
        .windowAll(TumblingEventTimeWindows.of(SLIDE))
        .aggregate(new MostBids())
        .flatMap(List::copyOf)
        .parallelism(1);
  }

  /** Query 7, highest bid: all bids with the highest price of 10 s. */
  static DataStream<Bid> highestBids(NexmarkStreams input) {
    return input
        .bids()
        .windowAll(TumblingEventTimeWindows.of(SIZE))
        .aggregate(new HighestBids())
        .flatMap(List::copyOf)
        .parallelism(1);
  }

  /** Query 8, monitor new users: persons who opened an auction in the 10 s in which they came. */
  static DataStream<NewSeller> newSellers(NexmarkStreams input) {
    return input
        .persons()
        .coGroup(input.auctions())
        .where(person -> person.id)
        .equalTo(auction -> auction.seller)
        .window(TumblingEventTimeWindows.of(SIZE))
        .apply(
            NewSeller.class,
            (persons, auctions, out) -> {
              if (auctions.iterator().hasNext()) {
                for (Person person : persons) {
                  out.emit(newSeller(person));
                }
              }
            });
  }

  private static NewSeller newSeller(Person person) {
    return new NewSeller(
        person.id, person.name, person.dateTime - Math.floorMod(person.dateTime, SIZE.toMillis()));
  }

  /** Query 11, user sessions: the bids of a bidder without a pause of more than 10 s. */
  static DataStream<BidderWindow> userSessions(NexmarkStreams input) {
    return input
        .bids()
        .keyBy(bid -> bid.bidder)
        .window(EventTimeSessionWindows.withGap(SIZE))
        .aggregate(
            new Count<>(),
            (bidder, window, bids) -> new BidderWindow(bidder, bids, window.start(), window.end()));
  }

  /**
   * Query 12, windows of processing time: the bids of a bidder in 10 s of the clock. At the end of
   * the input the last windows give their results, too.
   */
  static DataStream<BidderWindow> processingTimeWindows(NexmarkStreams input) {
    return input
        .bids()
        .keyBy(bid -> bid.bidder)
        .window(TumblingProcessingTimeWindows.of(SIZE))
        .aggregate(
            new Count<>(),
            (bidder, window, bids) -> new BidderWindow(bidder, bids, window.start(), window.end()));
  }

  private static final class Count<T> implements AggregateFunction<T, long[], Long> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[1];
    }

    @Override
    public long[] add(long[] count, T record) {
      count[0]++;
      return count;
    }

    @Override
    public Long result(long[] count) {
      return count[0];
    }

    @Override
    public long[] merge(long[] left, long[] right) {
      left[0] += right[0];
      return left;
    }
  }

  private static final class MostBids
      implements AggregateFunction<AuctionBids, List<AuctionBids>, List<AuctionBids>> {
    private static final long serialVersionUID = 1L;

    @Override
    public List<AuctionBids> create() {
      return new ArrayList<>();
    }

    @Override
    public List<AuctionBids> add(List<AuctionBids> most, AuctionBids auction) {
      if (!most.isEmpty() && most.get(0).bids < auction.bids) {
        most.clear();
      }
      if (most.isEmpty() || most.get(0).bids == auction.bids) {
        most.add(auction);
      }
      return most;
    }

    @Override
    public List<AuctionBids> result(List<AuctionBids> most) {
      return most;
    }
  }

  private static final class HighestBids implements AggregateFunction<Bid, List<Bid>, List<Bid>> {
    private static final long serialVersionUID = 1L;

    @Override
    public List<Bid> create() {
      return new ArrayList<>();
    }

    @Override
    public List<Bid> add(List<Bid> highest, Bid bid) {
      if (!highest.isEmpty() && highest.get(0).price < bid.price) {
        highest.clear();
      }
      if (highest.isEmpty() || highest.get(0).price == bid.price) {
        highest.add(bid);
      }
      return highest;
    }

    @Override
    public List<Bid> result(List<Bid> highest) {
      return highest;
    }
  }
}
