package io.millrace.bench.load.nexmark;

/** An item that a person sells. */
public final class Auction extends NexmarkEvent {
  public long id;
  public String itemName;
  public String description;
  public long initialBid;
  public long reserve;

  /** The last moment at which a bid counts, in milliseconds since the epoch. */
  public long expires;

  public long seller;
  public long category;
  public String extra;

  public Auction() {}

  @Override
  public String toString() {
    return "Auction["
        + String.join(
            ", ",
            String.valueOf(id),
            itemName,
            description,
            String.valueOf(initialBid),
            String.valueOf(reserve),
            String.valueOf(dateTime),
            String.valueOf(expires),
            String.valueOf(seller),
            String.valueOf(category),
            extra)
        + "]";
  }
}
