package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.function.Collector;
import io.millrace.api.process.KeyedProcessFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.api.state.ListState;
import io.millrace.api.state.ListStateDescriptor;
import io.millrace.api.state.MapState;
import io.millrace.api.state.MapStateDescriptor;
import io.millrace.api.state.ValueState;
import io.millrace.api.state.ValueStateDescriptor;
import io.millrace.api.tuple.Tuple2;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.BidStatistics;
import io.millrace.bench.load.nexmark.NexmarkResults.TopBids;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * Queries whose statements group without windows. Like the statement, a program emits the new
 * result of a group with each bid that changes it; the last result of a group is the one that
 * counts. State of past days is kept, as the statements keep it. Days are those of UTC.
 */
final class StatisticsQueries {
  static final long MIDDLE_PRICE = 10_000;
  static final long HIGH_PRICE = 1_000_000;

  private static final DateTimeFormatter DAY =
      DateTimeFormatter.ofPattern("yyyy-MM-dd", Locale.ROOT).withZone(ZoneOffset.UTC);
  private static final DateTimeFormatter MINUTE =
      DateTimeFormatter.ofPattern("HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  private StatisticsQueries() {}

  /** Query 15, bidding statistics: bids and distinct bidders and auctions of a day. */
  static DataStream<BidStatistics> dailyStatistics(NexmarkStreams input) {
    return input.bids().keyBy(StatisticsQueries::day).process(new Statistics(false));
  }

  /** Query 16, channel statistics: those of query 15 by channel and day. */
  static DataStream<BidStatistics> channelStatistics(NexmarkStreams input) {
    return input.bids().keyBy(bid -> bid.channel + " " + day(bid)).process(new Statistics(true));
  }

  /** Query 17, auction statistics: bids and prices of an auction and day. */
  static DataStream<AuctionStatistics> auctionStatistics(NexmarkStreams input) {
    return input.bids().keyBy(bid -> new Tuple2<>(bid.auction, day(bid))).process(new AuctionDay());
  }

  /**
   * Query 18, find last bid: the last bid of a bidder for an auction. Of several bids of the same
   * millisecond the one that arrives last counts.
   */
  static DataStream<Bid> lastBids(NexmarkStreams input) {
    return input
        .bids()
        .keyBy(bid -> new Tuple2<>(bid.bidder, bid.auction))
        .reduce((last, bid) -> bid.dateTime >= last.dateTime ? bid : last);
  }

  /**
   * Query 19, auction top 10: the ten highest bids of an auction, whenever they change; of bids
   * with the same price the earlier one is first.
   */
  static DataStream<TopBids> topBids(NexmarkStreams input) {
    return input.bids().keyBy(bid -> bid.auction).process(new TopTen());
  }

  private static String day(Bid bid) {
    return DAY.format(Instant.ofEpochMilli(bid.dateTime));
  }

  /** 1 to 3 for low, middle and high prices. */
  private static int rank(Bid bid) {
    return bid.price < MIDDLE_PRICE ? 1 : bid.price < HIGH_PRICE ? 2 : 3;
  }

  private static final class Statistics extends KeyedProcessFunction<String, Bid, BidStatistics> {
    private static final long serialVersionUID = 1L;
    private static final List<Long> NONE = List.of(0L, 0L, 0L, 0L);

    private final boolean withMinute;
    private transient ValueState<BidStatistics> statistics;

    /** Bit 0 for any bid, bits 1 to 3 for those of a rank. */
    private transient MapState<Long, Integer> ranksOfBidder;

    private transient MapState<Long, Integer> ranksOfAuction;

    Statistics(boolean withMinute) {
      this.withMinute = withMinute;
    }

    @Override
    public void open(RuntimeContext context) {
      statistics = context.state(new ValueStateDescriptor<>("statistics"));
      ranksOfBidder = context.mapState(new MapStateDescriptor<>("bidders"));
      ranksOfAuction = context.mapState(new MapStateDescriptor<>("auctions"));
    }

    @Override
    public void process(Bid bid, Context<String> context, Collector<BidStatistics> out) {
      BidStatistics before =
          statistics.valueOr(new BidStatistics(context.currentKey(), "", NONE, NONE, NONE));
      int bits = 1 | 1 << rank(bid);
      String minute = withMinute ? MINUTE.format(Instant.ofEpochMilli(bid.dateTime)) : "";
      BidStatistics after =
          new BidStatistics(
              before.group(),
              minute.compareTo(before.minute()) > 0 ? minute : before.minute(),
              plus(before.bids(), bits),
              plus(before.bidders(), newBits(ranksOfBidder, bid.bidder, bits)),
              plus(before.auctions(), newBits(ranksOfAuction, bid.auction, bits)));
      statistics.update(after);
      out.emit(after);
    }

    private static int newBits(MapState<Long, Integer> ranks, long id, int bits) {
      Integer before = ranks.get(id);
      int known = before == null ? 0 : before;
      if ((known | bits) != known) {
        ranks.put(id, known | bits);
      }
      return bits & ~known;
    }

    private static List<Long> plus(List<Long> numbers, int bits) {
      if (bits == 0) {
        return numbers;
      }
      List<Long> sums = new ArrayList<>(numbers);
      for (int i = 0; i < sums.size(); i++) {
        if ((bits & 1 << i) != 0) {
          sums.set(i, sums.get(i) + 1);
        }
      }
      return sums;
    }
  }

  private static final class AuctionDay
      extends KeyedProcessFunction<Tuple2<Long, String>, Bid, AuctionStatistics> {
    private static final long serialVersionUID = 1L;

    private transient ValueState<AuctionStatistics> statistics;

    @Override
    public void open(RuntimeContext context) {
      statistics = context.state(new ValueStateDescriptor<>("statistics"));
    }

    @Override
    public void process(
        Bid bid, Context<Tuple2<Long, String>> context, Collector<AuctionStatistics> out) {
      int rank = rank(bid);
      AuctionStatistics before = statistics.value();
      if (before == null) {
        before =
            new AuctionStatistics(
                bid.auction, day(bid), 0, 0, 0, 0, Long.MAX_VALUE, Long.MIN_VALUE, 0);
      }
      AuctionStatistics after =
          new AuctionStatistics(
              before.auction(),
              before.day(),
              before.bids() + 1,
              before.lowBids() + (rank == 1 ? 1 : 0),
              before.middleBids() + (rank == 2 ? 1 : 0),
              before.highBids() + (rank == 3 ? 1 : 0),
              Math.min(before.minPrice(), bid.price),
              Math.max(before.maxPrice(), bid.price),
              before.sumPrice() + bid.price);
      statistics.update(after);
      out.emit(after);
    }
  }

  private static final class TopTen extends KeyedProcessFunction<Long, Bid, TopBids> {
    private static final long serialVersionUID = 1L;
    private static final int TOP = 10;

    private transient ListState<Bid> top;

    @Override
    public void open(RuntimeContext context) {
      top = context.listState(new ListStateDescriptor<>("top"));
    }

    @Override
    public void process(Bid bid, Context<Long> context, Collector<TopBids> out) {
      List<Bid> bids = new ArrayList<>(top.values());
      bids.add(bid);
      bids.sort(
          Comparator.comparingLong((Bid other) -> -other.price)
              .thenComparingLong(other -> other.dateTime));
      if (bids.size() > TOP && bids.remove(TOP) == bid) {
        return;
      }
      top.update(bids);
      out.emit(new TopBids(bid.auction, bids));
    }
  }
}
