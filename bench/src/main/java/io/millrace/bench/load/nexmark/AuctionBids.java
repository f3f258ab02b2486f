package io.millrace.bench.load.nexmark;

/** The number of bids for an auction in a window; a POJO for Flink. */
public final class AuctionBids {
  public long auction;
  public long bids;
  public long windowEnd;

  public AuctionBids() {}

  public AuctionBids(long auction, long bids, long windowEnd) {
    this.auction = auction;
    this.bids = bids;
    this.windowEnd = windowEnd;
  }

  @Override
  public String toString() {
    return "AuctionBids[" + auction + ", " + bids + ", " + windowEnd + "]";
  }
}
