package io.millrace.bench.load.nexmark;

/** A bid for an auction. */
public final class Bid extends NexmarkEvent {
  public long auction;
  public long bidder;

  /** In cents. */
  public long price;

  public String channel;
  public String url;
  public String extra;

  public Bid() {}

  @Override
  public String toString() {
    return "Bid["
        + String.join(
            ", ",
            String.valueOf(auction),
            String.valueOf(bidder),
            String.valueOf(price),
            channel,
            url,
            String.valueOf(dateTime),
            extra)
        + "]";
  }
}
