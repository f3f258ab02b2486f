package io.millrace.bench.load.nexmark;

/** The final price of an auction with at least one bid; a POJO for Flink. */
public final class ClosedAuction {
  public long auction;
  public long seller;
  public long category;
  public long price;
  public long expires;

  public ClosedAuction() {}

  public static ClosedAuction of(Auction auction, Bid best) {
    ClosedAuction closed = new ClosedAuction();
    closed.auction = auction.id;
    closed.seller = auction.seller;
    closed.category = auction.category;
    closed.price = best.price;
    closed.expires = auction.expires;
    return closed;
  }
}
