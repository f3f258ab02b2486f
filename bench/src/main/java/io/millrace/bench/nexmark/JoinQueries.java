package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.function.AggregateFunction;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.bench.load.nexmark.ClosedAuction;
import io.millrace.bench.load.nexmark.NexmarkResults.CategoryAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.ExpandedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.LocalItem;
import io.millrace.bench.load.nexmark.NexmarkResults.SellerAverage;
import io.millrace.bench.load.nexmark.NexmarkResults.WinningBid;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Set;

/** Queries that join persons, auctions and bids. */
final class JoinQueries {
  private static final long CATEGORY = 10;
  private static final Set<String> STATES = Set.of("OR", "ID", "CA");

  private JoinQueries() {}

  /**
   * Query 3, local item suggestion: auctions of a category with their sellers from three states. A
   * person is known for {@link MatchingRows#RETENTION} of event time and an auction waits as long
   * for its seller, so that state does not grow without end. Auctions of the generator refer to
   * persons that are a few milliseconds away, so no result is lost.
   */
  static DataStream<LocalItem> localItems(NexmarkStreams input) {
    return input
        .persons()
        .filter(person -> STATES.contains(person.state))
        .keyBy(person -> person.id)
        .connect(
            input
                .auctions()
                .filter(auction -> auction.category == CATEGORY)
                .keyBy(auction -> auction.seller))
        .process(new MatchingRows<>(LocalItem::of));
  }

  /**
   * Query 4, average price per category: of the final prices of its auctions so far, rounded down.
   * The final price of an auction is known when event time reaches its end, see {@link
   * WinningBids}; the statement gives the same averages in the end, with more updates before.
   */
  static DataStream<CategoryAverage> averagePrices(NexmarkStreams input) {
    return closedAuctions(input).keyBy(closed -> closed.category).aggregate(new Average());
  }

  /**
   * Query 6, average selling price by seller: of the last ten auctions of a seller that closed with
   * a bid, in the order of their ends and ids, rounded down.
   */
  static DataStream<SellerAverage> sellerAverages(NexmarkStreams input) {
    return closedAuctions(input).keyBy(closed -> closed.seller).process(new LastTen());
  }

  /** Query 9, winning bids: see {@link WinningBids}. */
  static DataStream<WinningBid> winningBids(NexmarkStreams input) {
    return input
        .auctions()
        .keyBy(auction -> auction.id)
        .connect(input.bids().keyBy(bid -> bid.auction))
        .process(new WinningBids<>(WinningBid::new));
  }

  /**
   * Query 20, expand bid with auction: bids with their auction, if it is of one category. An
   * auction is known for {@link MatchingRows#RETENTION} of event time and a bid waits as long for
   * it, as in query 3.
   */
  static DataStream<ExpandedBid> expandedBids(NexmarkStreams input) {
    return input
        .auctions()
        .filter(auction -> auction.category == CATEGORY)
        .keyBy(auction -> auction.id)
        .connect(input.bids().keyBy(bid -> bid.auction))
        .process(new MatchingRows<>((auction, bid) -> new ExpandedBid(bid, auction)));
  }

  private static DataStream<ClosedAuction> closedAuctions(NexmarkStreams input) {
    return input
        .auctions()
        .keyBy(auction -> auction.id)
        .connect(input.bids().keyBy(bid -> bid.auction))
        .process(new WinningBids<>(ClosedAuction::of));
  }

  /** Category, number of auctions, and sum of prices. */
  private static final class Average
      implements AggregateFunction<ClosedAuction, long[], CategoryAverage> {
    private static final long serialVersionUID = 1L;

    @Override
    public long[] create() {
      return new long[3];
    }

    @Override
    public long[] add(long[] sums, ClosedAuction closed) {
      sums[0] = closed.category;
      sums[1]++;
      sums[2] += closed.price;
      return sums;
    }

    @Override
    public CategoryAverage result(long[] sums) {
      return new CategoryAverage(sums[0], sums[1], sums[2] / sums[1]);
    }
  }

  /**
   * Auctions of a seller come from several subtasks. Each waits until event time has reached its
   * end, so that they count in order.
   */
  private static final class LastTen
      extends KeyedProcessFunction<Long, ClosedAuction, SellerAverage> {
    private static final long serialVersionUID = 1L;
    private static final int LAST = 10;

    private transient ListState<ClosedAuction> waiting;
    private transient ListState<Long> prices;

    @Override
    public void open(RuntimeContext context) {
      waiting = context.listState(new ListStateDescriptor<>("waiting"));
      prices = context.listState(new ListStateDescriptor<>("prices"));
    }

    @Override
    public void process(ClosedAuction closed, Context<Long> context, Collector<SellerAverage> out) {
      waiting.add(closed);
      context.timerService().registerEventTimeTimer(closed.expires);
    }

    @Override
    public void onTimer(long time, OnTimerContext<Long> context, Collector<SellerAverage> out) {
      List<ClosedAuction> due = new ArrayList<>();
      List<ClosedAuction> later = new ArrayList<>();
      waiting.values().forEach(closed -> (closed.expires <= time ? due : later).add(closed));
      waiting.update(later);
      due.sort(
          Comparator.comparingLong((ClosedAuction closed) -> closed.expires)
              .thenComparingLong(closed -> closed.auction));
      Deque<Long> last = new ArrayDeque<>(prices.values());
      for (ClosedAuction closed : due) {
        last.add(closed.price);
        if (last.size() > LAST) {
          last.remove();
        }
        long sum = last.stream().mapToLong(price -> price).sum();
        out.emit(new SellerAverage(context.currentKey(), sum / last.size()));
      }
      prices.update(last);
    }
  }
}
