package io.millrace.bench.nexmark;

import io.millrace.api.DataStream;
import io.millrace.api.function.MapFunction;
import io.millrace.api.process.RichFunction;
import io.millrace.api.process.RuntimeContext;
import io.millrace.bench.load.nexmark.Bid;
import io.millrace.bench.load.nexmark.NexmarkResults.AuctionPrice;
import io.millrace.bench.load.nexmark.NexmarkResults.CalculatedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.ChannelBid;
import io.millrace.bench.load.nexmark.NexmarkResults.DirectoryBid;
import io.millrace.bench.load.nexmark.NexmarkResults.EnrichedBid;
import io.millrace.bench.load.nexmark.NexmarkResults.EuroBid;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Queries that look at one bid at a time. Days and hours are those of UTC. */
final class RowQueries {
  /** The divisor of auction ids that gives the key of the side input of query 13. */
  static final int SIDE_ROWS = 10_000;

  private static final Pattern CHANNEL_ID = Pattern.compile("(&|^)channel_id=([^&]*)");
  private static final DateTimeFormatter DAY_AND_MINUTE =
      DateTimeFormatter.ofPattern("yyyy-MM-dd,HH:mm", Locale.ROOT).withZone(ZoneOffset.UTC);

  private RowQueries() {}

  /** Query 0, pass through: the bids. The statement selects columns; here a bid stays as it is. */
  static DataStream<Bid> passThrough(NexmarkStreams input) {
    return input.bids();
  }

  /** Query 1, currency conversion. */
  static DataStream<EuroBid> convertCurrency(NexmarkStreams input) {
    return input.bids().map(EuroBid::of);
  }

  /** Query 2, selection: the bids for every 123rd auction. */
  static DataStream<AuctionPrice> selectAuctions(NexmarkStreams input) {
    return input
        .bids()
        .filter(bid -> bid.auction % 123 == 0)
        .map(bid -> new AuctionPrice(bid.auction, bid.price));
  }

  /**
   * Query 10, log to the file system: the lines of a text file, for a {@code TextFileSink}. The
   * statement partitions directories by day and minute; here both are the first columns.
   */
  static DataStream<String> logLines(NexmarkStreams input) {
    return input
        .bids()
        .map(
            bid ->
                DAY_AND_MINUTE.format(Instant.ofEpochMilli(bid.dateTime))
                    + ","
                    + bid.auction
                    + ","
                    + bid.bidder
                    + ","
                    + bid.price
                    + ","
                    + bid.dateTime
                    + ","
                    + bid.extra);
  }

  /** A row of the side input of query 13. */
  record SideRow(long key, String value) implements java.io.Serializable {}

  /**
   * Query 13, join with a bounded side input. The side input does not change, so each subtask reads
   * all of it before its first bid; a look-up at the processing time of a bid gives the same.
   */
  static DataStream<EnrichedBid> joinSideInput(NexmarkStreams input, List<SideRow> sideInput) {
    return input.bids().map(new SideInputJoin(sideInput));
  }

  private static final class SideInputJoin implements MapFunction<Bid, EnrichedBid>, RichFunction {
    private static final long serialVersionUID = 1L;

    private final List<SideRow> rows;
    private transient Map<Long, String> values;

    SideInputJoin(List<SideRow> rows) {
      this.rows = rows;
    }

    @Override
    public void open(RuntimeContext context) {
      values = new HashMap<>();
      rows.forEach(row -> values.put(row.key(), row.value()));
    }

    @Override
    public EnrichedBid map(Bid bid) {
      return new EnrichedBid(
          bid.auction, bid.bidder, bid.price, bid.dateTime, values.get(bid.auction % SIDE_ROWS));
    }
  }

  /** Query 14, calculation: price and time of day of the bids between two prices. */
  static DataStream<CalculatedBid> calculate(NexmarkStreams input) {
    return input
        .bids()
        .filter(
            bid ->
                bid.price * EuroBid.RATE > 1_000_000_000L
                    && bid.price * EuroBid.RATE < 50_000_000_000L)
        .map(
            bid ->
                new CalculatedBid(
                    bid.auction,
                    bid.bidder,
                    bid.price * EuroBid.RATE,
                    timeOfDay(bid.dateTime),
                    bid.dateTime,
                    bid.extra,
                    (int) bid.extra.chars().filter(letter -> letter == 'c').count()));
  }

  private static String timeOfDay(long millis) {
    int hour = Instant.ofEpochMilli(millis).atOffset(ZoneOffset.UTC).getHour();
    return hour >= 8 && hour <= 18
        ? "dayTime"
        : hour <= 6 || hour >= 20 ? "nightTime" : "otherTime";
  }

  /** Query 21, add channel id: bids without one are left out. */
  static DataStream<ChannelBid> addChannelId(NexmarkStreams input) {
    return input
        .bids()
        .<ChannelBid>flatMap(
            (bid, out) -> {
              String id = channelId(bid);
              if (!id.isEmpty()) {
                out.emit(new ChannelBid(bid.auction, bid.bidder, bid.price, bid.channel, id));
              }
            });
  }

  /** Empty if there is none. */
  private static String channelId(Bid bid) {
    return switch (bid.channel.toLowerCase(Locale.ROOT)) {
      case "apple" -> "0";
      case "google" -> "1";
      case "facebook" -> "2";
      case "baidu" -> "3";
      default -> {
        Matcher matcher = CHANNEL_ID.matcher(bid.url);
        yield matcher.find() ? matcher.group(2) : "";
      }
    };
  }

  /** Query 22, directories of the address of a bid. */
  static DataStream<DirectoryBid> splitUrl(NexmarkStreams input) {
    return input
        .bids()
        .map(
            bid -> {
              String[] parts = bid.url.split("/", 7);
              return new DirectoryBid(
                  bid.auction, bid.bidder, bid.price, bid.channel, parts[3], parts[4], parts[5]);
            });
  }
}
