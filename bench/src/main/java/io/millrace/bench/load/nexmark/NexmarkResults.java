package io.millrace.bench.load.nexmark;

import java.io.Serializable;
import java.util.List;

/** The results of the queries whose results are not input events. Prices are in cents. */
public final class NexmarkResults {
  private NexmarkResults() {}

  /**
   * Query 1.
   *
   * @param price thousandths of a cent in euros, exact as the decimal number of the query
   */
  public record EuroBid(long auction, long bidder, long price, long dateTime, String extra) {
    public static final long RATE = 908;

    public static EuroBid of(Bid bid) {
      return new EuroBid(bid.auction, bid.bidder, bid.price * RATE, bid.dateTime, bid.extra);
    }
  }

  /** Query 2. */
  public record AuctionPrice(long auction, long price) {}

  /** Query 3. */
  public record LocalItem(String name, String city, String state, long auction) {
    public static LocalItem of(Person seller, Auction auction) {
      return new LocalItem(seller.name, seller.city, seller.state, auction.id);
    }
  }

  /**
   * Query 4.
   *
   * @param auctions the number of auctions so far
   */
  public record CategoryAverage(long category, long auctions, long average) {}

  /** Query 6: over the last ten auctions. */
  public record SellerAverage(long seller, long average) {}

  /** Query 8. */
  public record NewSeller(long id, String name, long windowStart) {}

  /** Query 9. */
  public record WinningBid(Auction auction, Bid bid) {}

  /** Queries 11 and 12: the bids of a session or window, whose end is excluded. */
  public record BidderWindow(long bidder, long bids, long start, long end) {}

  /** Query 13. */
  public record EnrichedBid(
      long auction, long bidder, long price, long dateTime, String sideValue) {}

  /**
   * Query 14.
   *
   * @param price thousandths of a cent in euros
   * @param letters occurrences of the letter c in the extra text
   */
  public record CalculatedBid(
      long auction,
      long bidder,
      long price,
      String timeOfDay,
      long dateTime,
      String extra,
      int letters) {}

  /**
   * Queries 15 and 16: bids, and distinct bidders and auctions, in total and with prices below
   * 10,000, below 1,000,000, and from 1,000,000 on.
   *
   * @param group the day, or channel and day
   * @param minute the last minute of the day with a bid, as HH:mm; empty in query 15
   */
  public record BidStatistics(
      String group, String minute, List<Long> bids, List<Long> bidders, List<Long> auctions)
      implements Serializable {}

  /** Query 17: the bids for an auction on a day. */
  public record AuctionStatistics(
      long auction,
      String day,
      long bids,
      long lowBids,
      long middleBids,
      long highBids,
      long minPrice,
      long maxPrice,
      long sumPrice)
      implements Serializable {
    public long averagePrice() {
      return sumPrice / bids;
    }
  }

  /** Query 19: the highest bids for an auction so far, the highest first. */
  public record TopBids(long auction, List<Bid> bids) {}

  /** Query 20. */
  public record ExpandedBid(Bid bid, Auction auction) {}

  /** Query 21. */
  public record ChannelBid(
      long auction, long bidder, long price, String channel, String channelId) {}

  /** Query 22. */
  public record DirectoryBid(
      long auction,
      long bidder,
      long price,
      String channel,
      String directory1,
      String directory2,
      String directory3) {}
}
